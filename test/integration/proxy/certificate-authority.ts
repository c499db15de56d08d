import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const OPENSSL = 'openssl';

/** Whether certificates can be made here. */
export const HAS_OPENSSL = spawnSync(OPENSSL, ['version']).status === 0;

/** A certificate authority that no computer trusts, and a server's certificate that it has signed. */
export interface CertificateAuthority {
  /** The PEM file with its own certificate. */
  file: string;
  key: string;
  cert: string;
  remove(): void;
}

const EC = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

/** @param hostname the only name that the server's certificate is for */
export function createCertificateAuthority(hostname: string): CertificateAuthority {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-ca-'));
  const openssl = (...args: string[]) => execFileSync(OPENSSL, args, { cwd: folder, stdio: 'pipe' });
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  openssl('req', '-x509', ...EC, '-days', '2', '-subj', '/CN=Test authority', '-keyout', 'ca.key', '-out', 'ca.pem');
  openssl('req', ...EC, '-subj', '/CN=Test server', '-keyout', 'server.key', '-out', 'server.csr');
  writeFileSync(join(folder, 'names'), `subjectAltName=DNS:${hostname}\n`);
  const signing = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'names', '-days', '2'];
  openssl('x509', '-req', '-in', 'server.csr', ...signing, '-out', 'server.pem');
  return {
    file: join(folder, 'ca.pem'),
    key: read('server.key'),
    cert: read('server.pem'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}
