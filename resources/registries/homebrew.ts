import { z } from 'zod';
import { addressOf, homepageOf, type Release, SHORT_DESCRIPTION } from './repository.ts';

/** What Causeway and its window keep; `causeway uninstall` removes it too, with entries and sign-ins. */
const ZAPPED = [
  '~/.causeway',
  '~/Library/Application Support/Causeway',
  '~/Library/Caches/causeway-updater',
  '~/Library/Logs/Causeway',
];

/** The Homebrew cask. @throws Error if it is not as a cask has to be */
export function homebrewCask(release: Release): string {
  const { version, dmg } = release;
  const url = addressOf({ ...release, version: '#{version}' }, dmg.name.replace(version, '#{version}'));
  const text = `cask "causeway" do
  version "${version}"
  sha256 "${dmg.sha256}"

  url "${url}"
  name "Causeway"
  desc "${SHORT_DESCRIPTION}"
  homepage "${homepageOf(release)}"

  livecheck do
    url :url
    strategy :github_latest
  end

  auto_updates true
  depends_on macos: :monterey

  app "Causeway.app"
  binary "#{appdir}/Causeway.app/Contents/Resources/bin/causeway"

  uninstall quit: "io.github.causeway.desktop"

  zap trash: [
${ZAPPED.map((path) => `    "${path}",`).join('\n')}
  ]

  caveats <<~EOS
    Before you remove it for good, run
      causeway uninstall --yes
    It takes Causeway's entries out of your AI clients and ends its sign-ins.
  EOS
end
`;
  checkCask(text);
  return text;
}

/** The stanzas in the order that Homebrew wants (docs.brew.sh › Cask Cookbook › Stanza order). */
const ORDER = [
  'version',
  'sha256',
  'url',
  'name',
  'desc',
  'homepage',
  'livecheck',
  'auto_updates',
  'depends_on',
  'app',
  'binary',
  'uninstall',
  'zap',
  'caveats',
];

const quoted = (inside: RegExp) => z.string().regex(new RegExp(`^"${inside.source}"$`));

/** What the Cask Cookbook and `brew audit` say about the stanzas that are in one line. */
const Stanzas = z.looseObject({
  version: quoted(/\d+\.\d+\.\d+(-[\w.]+)?/),
  sha256: quoted(/[0-9a-f]{64}/),
  url: quoted(/https:\/\/\S+#\{version\}\S+\.dmg/),
  name: quoted(/[^"]+/),
  // Not longer than 80, no article and not the name at its beginning, no full stop.
  desc: quoted(/(?!A |An |The |Causeway )[A-Z][^"]{2,78}[^".]/),
  homepage: quoted(/https:\/\/[^"]+/),
  app: quoted(/[^"]+\.app/),
  binary: quoted(/#\{appdir\}\/[^"]+/),
});

/** @throws Error for a cask that Homebrew would refuse, as far as can be told without it */
export function checkCask(text: string): void {
  if (!/^cask "[a-z0-9-]+" do\n.*\nend\n$/s.test(text)) throw new Error('It is not one block of a cask.');
  const stanzas = [...text.matchAll(/^ {2}([a-z]\w*)(?: (.*))?$/gm)].flatMap(([, name = '', value = '']) =>
    name === 'end' ? [] : [[name, value] as const],
  );
  Stanzas.parse(Object.fromEntries(stanzas));
  const names = stanzas.map(([name]) => name);
  if (names.join() !== ORDER.join())
    throw new Error(`Its stanzas are ${names.join(', ')}, and not ${ORDER.join(', ')}.`);
}
