// undici's package has no `exports` map: its pool can be loaded alone, at a third of the whole library's startup time.
declare module 'undici/lib/dispatcher/pool.js' {
  import { Pool } from 'undici';
  export default Pool;
}
