import { join } from 'node:path'
import type { RepositoryFacts } from '../../session/context/system-prompt.js'
import { readRegularText } from '../../system/read-regular-file.js'
import { findRepositoryFilter, runGit } from '../../system/run-git.js'

/** A session does not wait longer for git. */
const MAX_WAIT_MS = 2_000
const MAX_HEAD_BYTES = 1_000
const COMMIT_COUNT = 5

/**
 * Reads the facts about a repository for the system prompt, without running a program of the repository. Before the project is
 * trusted, git does not run: only the branch is read.
 */
export async function readRepositoryFacts(root: string, isTrusted: boolean): Promise<RepositoryFacts> {
  const branch = readBranch(root)
  if (!isTrusted) return branch
  const signal = AbortSignal.timeout(MAX_WAIT_MS)
  try {
    const [status, commits] = await Promise.all([readStatus(root, signal), readCommits(root, signal)])
    return { ...branch, ...(status !== undefined && { status }), ...(commits !== undefined && { commits }) }
  } catch {
    // Git is missing, too slow or does not accept the repository: the model can find out more itself.
    return branch
  }
}

function readBranch(root: string): RepositoryFacts {
  const head = readRegularText(join(root, '.git', 'HEAD'), { maxBytes: MAX_HEAD_BYTES })
  const name = head.kind === 'found' ? /^ref: refs\/heads\/(.+)$/m.exec(head.content)?.[1] : undefined
  return name === undefined ? {} : { branch: name }
}

async function readStatus(root: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  // The status compares files, for which git would run the filters of the repository.
  if ((await findRepositoryFilter(root)) !== undefined) return undefined
  return readLines(root, ['status', '--short', '--ignore-submodules=all'], signal)
}

function readCommits(root: string, signal: AbortSignal): Promise<readonly string[] | undefined> {
  return readLines(root, ['log', `-${COMMIT_COUNT}`, '--no-show-signature', '--format=%h %s'], signal)
}

async function readLines(
  root: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { exitCode, stdout } = await runGit(root, args, { signal })
  return exitCode === 0 ? stdout.split('\n').filter((line) => line !== '') : undefined
}
