import type { Environment } from './read-settings.js'

/** Variables by which git takes another repository, other settings or programs, or writes what it does to a file. */
const DECIDING = new RegExp(
  `^GIT_(${[
    'DIR',
    'WORK_TREE',
    'COMMON_DIR',
    'INDEX_FILE',
    'OBJECT_DIRECTORY',
    'ALTERNATE_OBJECT_DIRECTORIES',
    'QUARANTINE_PATH',
    'NAMESPACE',
    'IMPLICIT_WORK_TREE',
    'SUPER_PREFIX',
    'INTERNAL_.*',
    'CONFIG',
    'CONFIG_PARAMETERS',
    'ATTR_SOURCE',
    'SHALLOW_FILE',
    'GRAFT_FILE',
    'REPLACE_REF_BASE',
    'EXEC_PATH',
    'EXTERNAL_DIFF',
    'TRACE.*',
    'TEST_.*',
    '.*FSMONITOR.*',
    'REDIRECT_.*',
  ].join('|')})$`,
)

/** A variable that is set and decides what git does; null where there is none. */
export function decidingVariable(environment: Environment): string | null {
  const isSet = (name: string) => environment[name] !== undefined && environment[name] !== ''
  return Object.keys(environment).find((name) => DECIDING.test(name) && isSet(name)) ?? null
}
