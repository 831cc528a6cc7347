/** What this package builds beside its bin. */
export const entries = {
  libraries: {
    lang: 'src/lang/index.ts',
    market: 'src/market/index.ts',
    engine: 'src/engine/index.ts',
    session: 'src/session/index.ts',
    client: 'src/client/index.ts',
  },
};
