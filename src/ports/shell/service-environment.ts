/** What a program needs to run at all. Keys and tokens of the host are not for services that come from anywhere. */
const INHERITED: ReadonlySet<string> = new Set([
  'HOME',
  'LANG',
  'LANGUAGE',
  'LOGNAME',
  'PATH',
  'SHELL',
  'TERM',
  'TMPDIR',
  'TZ',
  'USER',
  // Windows
  'APPDATA',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PROGRAMFILES',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'USERNAME',
  'USERPROFILE',
])

export function serviceEnvironment(host: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const kept = Object.entries(host).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && (INHERITED.has(entry[0]) || entry[0].startsWith('LC_')),
  )
  return Object.fromEntries(kept)
}
