/** The dispatch adapter. */
export {};
