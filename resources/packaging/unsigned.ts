/** Offsets and sizes of the Portable Executable format (Microsoft's documentation › PE Format). */
const PE_OFFSET_AT = 0x3c;
const OPTIONAL_HEADER_AFTER = 24;
const PE32_PLUS = 0x20b;
const DIRECTORIES_AT = 112;
const CERTIFICATES = 4;

/**
 * A Windows executable without its Authenticode signature, which no longer fits once something is added to it: Windows
 * trusts a wrong signature less than none. The certificates are the file's last part.
 * @throws where it is no 64-bit Windows executable
 */
export function withoutSignature(executable: Buffer): Buffer {
  const optionalHeader = executable.readUInt32LE(PE_OFFSET_AT) + OPTIONAL_HEADER_AFTER;
  if (executable.toString('latin1', 0, 2) !== 'MZ' || executable.readUInt16LE(optionalHeader) !== PE32_PLUS) {
    throw new Error('This is not a 64-bit Windows executable.');
  }
  const entry = optionalHeader + DIRECTORIES_AT + 8 * CERTIFICATES;
  const at = executable.readUInt32LE(entry);
  if (at === 0) return executable;
  const unsigned = Buffer.from(executable.subarray(0, at));
  unsigned.fill(0, entry, entry + 8);
  return unsigned;
}
