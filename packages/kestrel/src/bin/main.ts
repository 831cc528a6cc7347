/** The program `kestrel`: verb -> door. */
import { doorOf } from './dispatch.ts';

const argv = process.argv.slice(2);

doorOf(argv)
  .then((door) => door.open(argv))
  .then((status) => {
    process.exitCode = status;
  });
