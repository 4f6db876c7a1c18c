const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
]

/**
 * The environment in which git takes no optional lock, asks no file system monitor and runs no hook. A second defence
 * for commands that were judged read-only: filters, diff drivers and text conversions cannot be switched off so.
 */
export const quietGitEnvironment: Readonly<Record<string, string>> = Object.freeze({
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_CONFIG_COUNT: String(SETTINGS.length),
  ...Object.fromEntries(
    SETTINGS.flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
})
