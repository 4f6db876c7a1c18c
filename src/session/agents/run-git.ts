import { execFile } from 'node:child_process'

export interface GitEnd {
  /** Undefined where git could not be started, took too long or was called off. */
  readonly exitCode: number | undefined
  readonly stdout: string
  /** One line of what it complained about. */
  readonly complaint: string
}

const TIME_LIMIT_MS = 10 * 60_000
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/** Nothing of the repository runs with it: no hook, no monitor. */
const SAFE = ['-c', 'core.hooksPath=/dev/null', '-c', 'core.fsmonitor=false', '-c', 'submodule.recurse=false']

/** Nobody is asked, and nothing is fetched: a missing object could name any program as the way to get it. */
const QUIET = { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', GIT_ALLOW_PROTOCOL: 'none' }

/** Runs git in a folder for what it prints. */
export function runGit(cwd: string, args: readonly string[], signal?: AbortSignal): Promise<GitEnd> {
  const env = { ...withoutGit(process.env), ...QUIET }
  return new Promise((resolve) => {
    execFile(
      'git',
      [...SAFE, ...args],
      { cwd, env, timeout: TIME_LIMIT_MS, maxBuffer: MAX_OUTPUT_BYTES, ...(signal !== undefined && { signal }) },
      (error, stdout, stderr) => {
        const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined
        const complaint = stderr.trim().split('\n').at(-1) || (error?.message ?? '')
        resolve({ exitCode, stdout, complaint })
      },
    )
  })
}

/** A Haft that was itself started by git must not be led to that repository. */
function withoutGit(variables: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) => !/^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|PREFIX|NAMESPACE)$/.test(name),
    ),
  )
}
