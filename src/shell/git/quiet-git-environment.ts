const SETTINGS: readonly (readonly [string, string])[] = [
  ['core.fsmonitor', 'false'],
  ['core.hooksPath', '/dev/null'],
]

/**
 * Environment variables that keep git from taking optional locks, fetching missing objects, querying a file system monitor
 * and running hooks. A second line of defence for read-only commands. Filters, diff drivers and text conversions cannot be disabled this way.
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
