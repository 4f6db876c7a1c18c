/**
 * Settings that keep git from running programs of a repository, such as a file system monitor and hooks. The settings for
 * submodules keep git from running itself in folders to which an old commit links, which are not examined.
 * With `remerge` as the default for `-m`, git would run the merge drivers of the repository. A multi-pack index may name packs
 * of another repository.
 */
const SAFE_SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
  ['diff.submodule', 'short'],
  ['status.submoduleSummary', 'false'],
  ['log.diffMerges', 'separate'],
  ['core.multiPackIndex', 'false'],
]

/**
 * Without a sandbox, `git diff` would write the index, and the search for renames would read attributes at the paths of the
 * last commit, which may contain `..`. These settings have a cost: a file that was rewritten with the same content counts as
 * changed, also for `--quiet`, and `git status` shows a renamed file as a deleted and a new one. In a sandbox they are not
 * needed: the index cannot be written, and files outside are not visible.
 */
const SETTINGS_WITHOUT_SANDBOX: typeof SAFE_SETTINGS = [
  ...SAFE_SETTINGS,
  ['diff.autoRefreshIndex', 'false'],
  ['status.renames', 'false'],
]

/**
 * Environment variables that keep git from taking optional locks, fetching missing objects, querying a file system monitor,
 * running hooks and entering submodules. For read-only commands they protect in addition to the analysis; filters, diff
 * drivers and text conversions cannot be disabled this way.
 */
export const safeGitEnvironment = createEnvironment(SAFE_SETTINGS)
export const safeGitEnvironmentWithoutSandbox = createEnvironment(SETTINGS_WITHOUT_SANDBOX)

function createEnvironment(settings: typeof SAFE_SETTINGS): Readonly<Record<string, string>> {
  return Object.freeze({
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  })
}
