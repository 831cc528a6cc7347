/** What this package and its protocol are called. A test holds the version to package.json. */
export const PACKAGE_NAME = '@tangle-network/agent-eval';
export const PACKAGE_VERSION = '0.1.0';
/** Rises only when a request or response breaks; a new optional field or method leaves it. */
export const WIRE_VERSION = '1.0.0';
