import { describe, expect, it } from 'vitest';
import { commandManPage } from '../../../resources/packaging/linux/man-page.ts';
import { debianPackages } from '../../../resources/packaging/linux/needed-libraries.ts';
import { packageVersion, wrapped } from '../../../resources/packaging/linux/release.ts';

describe('the packages for Linux', () => {
  it('name each library’s package once, and refuse a library whose package is unknown', () => {
    expect(debianPackages(['libnss3.so', 'libnssutil3.so', 'libc.so.6'])).toEqual(['libc6', 'libnss3']);
    expect(() => debianPackages(['libc.so.6', 'libnew.so.7'])).toThrow('libnew.so.7: which Debian package is that in?');
  });

  it('sort a prerelease before its release', () => {
    expect(packageVersion('1.0.0-beta.1')).toBe('1.0.0~beta.1');
    expect(packageVersion('1.0.0')).toBe('1.0.0');
  });

  it('have descriptions with lines that fit a terminal', () => {
    const words = 'word '.repeat(60).trim();
    expect(wrapped(words).join(' ')).toBe(words);
    expect(wrapped(words).filter((line) => line.length > 78)).toEqual([]);
  });

  it('have a manual page with every command, in which nothing is misread as a macro', () => {
    const page = commandManPage({ version: '1.2.3', date: new Date(0) });
    expect(page).toContain('.TH CAUSEWAY 1 "1970-01-01" "Causeway 1.2.3"');
    expect(page).toContain('.SS causeway warehouse last\\-selected');
    // roff would print a left quotation mark.
    expect(page).not.toContain('`');
    expect(page).toContain('\\(gacauseway servers\\(ga');
    const macros = page.split('\n').filter((line) => /^[.']/.test(line));
    expect(macros.filter((line) => !/^\.(TH|SH|SS|PP|TP|B|BR|I|nf|fi)( |$)/.test(line))).toEqual([]);
  });
});
