import { type GitConfigText, type GitSetting, parseGitConfig } from '../../../shell/git/parse-git-config.js'

/** Larger configurations are not read. */
export const MAX_CONFIG_BYTES = 1024 * 1024

/** The settings that `git init` and `git clone` write. None of them makes git run a program. */
const ORDINARY_SETTINGS = new RegExp(
  `^(?:${[
    'core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|worktree)',
    'core\\.(?:autocrlf|eol|sparsecheckout|sparsecheckoutcone)',
    'remote\\.(?:url|fetch|pushurl|tagopt|mirror|prune|promisor|partialclonefilter)',
    'branch\\.(?:remote|merge|rebase)',
    'submodule\\.(?:url|active)',
    'user\\.(?:name|email)',
    'extensions\\.\\w+',
    'lfs\\.repositoryformatversion',
  ].join('|')})$`,
)

/** Whether a configuration has only settings that `git init` and `git clone` write, so that it makes git run no program. */
export function isOrdinaryConfig(text: string): boolean {
  const { settings, isMalformed } = parseGitConfig(text)
  return !isMalformed && settings.every(({ section, name }) => ORDINARY_SETTINGS.test(`${section}.${name}`))
}

/**
 * Returns the names of the settings in which two versions of a configuration differ. Settings that git changes with every new
 * branch, and those about the user, do not count.
 */
export function listChangedSettings(before: string, after: string): readonly string[] {
  const [oldConfig, newConfig] = [before, after].map(parseGitConfig) as [GitConfigText, GitConfigText]
  const remotes = new Set(
    oldConfig.settings.flatMap(({ section, subsection }) => (section === 'remote' ? [subsection] : [])),
  )
  const [oldSettings, newSettings] = [oldConfig, newConfig].map(({ settings }) =>
    settings.filter((setting) => !isEverydaySetting(setting, remotes)),
  ) as [GitSetting[], GitSetting[]]
  if (newConfig.isMalformed) return ['text that could not be parsed']
  const [oldTexts, newTexts] = [oldSettings.map(toText), newSettings.map(toText)]
  if (oldTexts.join('\n') === newTexts.join('\n')) return []
  const changedSettings = [
    ...newSettings.filter((setting) => !oldTexts.includes(toText(setting))),
    ...oldSettings.filter((setting) => !newTexts.includes(toText(setting))),
  ]
  return changedSettings.length === 0 ? ['the order of settings'] : [...new Set(changedSettings.map(formatName))]
}

const BRANCH_SETTINGS = new Set(['merge', 'rebase', 'description', 'vscode-merge-base'])
const BRANCH_REMOTE_SETTINGS = new Set(['remote', 'pushremote'])

/**
 * Whether git changes this setting in everyday work. A branch may follow another one only on a known remote, because a push
 * would go there.
 */
function isEverydaySetting({ section, name, value }: GitSetting, remotes: ReadonlySet<string>): boolean {
  if (section === 'user') return true
  if (section !== 'branch') return false
  return BRANCH_SETTINGS.has(name) || (BRANCH_REMOTE_SETTINGS.has(name) && (value === '.' || remotes.has(value ?? '')))
}

function formatName({ section, subsection, name }: GitSetting): string {
  return [section, ...(subsection === '' ? [] : [subsection]), name].join('.')
}

function toText(setting: GitSetting): string {
  return `${formatName(setting)}=${JSON.stringify(setting.value)}`
}
