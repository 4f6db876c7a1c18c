import { execFile } from 'node:child_process'
import { removeSecretVariables } from '../shared/secret-variables.js'
import { createSystemSearchPath } from './find-program.js'

export interface GitResult {
  /** Undefined if git could not be started, timed out or was cancelled. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  /** The last line of stderr, or why git did not run. */
  readonly error: string
}

const GIT_TIMEOUT_MS = 10 * 60_000
const MAX_OUTPUT_BYTES = 100 * 1024 * 1024

/** Keeps git from running hooks, pagers and file system monitors of the repository, and from entering submodules. */
const SAFE_OPTIONS = [
  '--no-pager',
  ...['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'submodule.recurse=false'].flatMap((setting) => [
    '-c',
    setting,
  ]),
]

/** Git must not prompt, nor fetch missing objects: a remote can name any program as its transport. */
const SAFE_ENVIRONMENT = { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_ALLOW_PROTOCOL: 'none' }

export interface GitOptions {
  readonly signal?: AbortSignal
  /** Variables in addition to those of this process, such as another index file. */
  readonly environment?: Readonly<Record<string, string>>
  /** Written to stdin. */
  readonly input?: string
  /** How the output is decoded. `latin1` keeps every byte of a path. Default: `utf8`. */
  readonly encoding?: 'utf8' | 'latin1'
}

/**
 * Runs git for Haft itself, in a repository that may be hostile. Never rejects. Filters still run if the command
 * reads or writes files of the working tree: see `findRepositoryFilter`.
 */
export function runGit(
  cwd: string,
  args: readonly string[],
  { signal, environment, input, encoding = 'utf8' }: GitOptions = {},
): Promise<GitResult> {
  const env = {
    ...withoutGitVariables(removeSecretVariables(process.env, {})),
    PATH: createSystemSearchPath(process.env.PATH),
    ...SAFE_ENVIRONMENT,
    ...environment,
  }
  const limits = { timeout: GIT_TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES }
  return new Promise((resolve) => {
    const child = execFile(
      'git',
      [...SAFE_OPTIONS, ...args],
      { cwd, env, encoding, ...limits },
      (error, stdout, stderr) => {
        signal?.removeEventListener('abort', abort)
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined
        const errorLine = stderr.trim().split('\n').at(-1) || (error?.message ?? '')
        resolve({ exitCode, stdout, stderr, error: errorLine })
      },
    )
    // The option of execFile would report the end before git has ended: git still removes files then.
    const abort = () => void child.kill()
    if (signal?.aborted === true) abort()
    else signal?.addEventListener('abort', abort)
    // A git that ends before it has read everything reports its own error.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input ?? '')
  })
}

const FILTER_KEYS = '^filter\\..*\\.(smudge|clean|process)$'

/**
 * Returns the name of a filter setting of the repository itself, not of the user: git would run the program that it names.
 * Throws if the settings cannot be read.
 */
export async function findRepositoryFilter(root: string): Promise<string | undefined> {
  const filters = await runGit(root, ['config', '--show-scope', '--name-only', '--get-regexp', FILTER_KEYS])
  // Exit code 1 means that there are none.
  if (filters.exitCode !== 0 && filters.exitCode !== 1) throw new Error(`git config failed: ${filters.error}`)
  const filterLine = filters.stdout.split('\n').find((line) => /^(?:local|worktree)\t/.test(line))
  return filterLine?.split('\t')[1]
}

/** Removes the variables that git sets for programs it starts. They would point git to another repository. */
function withoutGitVariables(variables: Readonly<NodeJS.ProcessEnv>): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE|EXTERNAL_DIFF)$/.test(name),
    ),
  )
}
