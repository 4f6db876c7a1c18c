import { join } from 'node:path'
import { readRegularText } from '../read-regular-file.js'
import { type GitResult, runGit } from '../run-git.js'
import { type Worktree, WorktreeError } from './worktree-repository.js'

const MAX_REFLOG_BYTES = 20 * 1024 * 1024
const OBJECT_ID = /^[0-9a-f]{40,64}$/
/** The author of commits that only save an index. */
const SAVER = {
  ...{ GIT_AUTHOR_NAME: 'haft', GIT_AUTHOR_EMAIL: 'haft@localhost' },
  ...{ GIT_COMMITTER_NAME: 'haft', GIT_COMMITTER_EMAIL: 'haft@localhost' },
}

/** What removing a worktree leaves in the repository. */
export interface KeptCommits {
  /** The branch of the worktree, if it has commits that no other branch has. */
  readonly branch?: string
  /** References to commits and staged files that would otherwise become unreachable. */
  readonly refs: readonly string[]
}

/**
 * Makes every commit that the worktree knows reachable by a reference: those of its branch, of a detached HEAD, of its
 * own references, and those that only its reflog contains. With `savesIndex` also the staged files.
 */
export async function keepCommits(
  worktree: Worktree,
  adminFolder: string,
  { savesIndex = false }: { readonly savesIndex?: boolean } = {},
): Promise<KeptCommits> {
  const savedIndex = savesIndex ? await saveIndex(worktree, adminFolder) : []
  const keepsBranch = await needsBranch(worktree)
  const looseCommits = await findLooseCommits(worktree, adminFolder, keepsBranch)
  const savedCommits: string[] = []
  for (const commit of looseCommits) savedCommits.push(await createRef(worktree, commit.slice(0, 12), commit))
  return { refs: [...savedIndex, ...savedCommits], ...(keepsBranch && { branch: worktree.branch }) }
}

/** Deletes the branch of a removed worktree if all of its commits are reachable without it. */
export async function deleteBranchIfSaved(worktree: Worktree): Promise<boolean> {
  const tip = await readTip(worktree)
  if (tip === undefined) return true
  return !(await needsBranch(worktree)) && deleteBranchAt(worktree, tip)
}

/** Deletes the branch only if it is still at this commit: git compares and deletes in one step. */
export async function deleteBranchAt({ repository, branch }: Worktree, commit: string): Promise<boolean> {
  return (await runGit(repository.root, ['update-ref', '-d', `refs/heads/${branch}`, commit])).exitCode === 0
}

export async function readTip({ repository, branch }: Worktree): Promise<string | undefined> {
  const tip = await runGit(repository.root, ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}`])
  return tip.exitCode === 0 ? tip.stdout.trim() : undefined
}

async function needsBranch(worktree: Worktree): Promise<boolean> {
  const tip = await readTip(worktree)
  if (tip === undefined) return false
  const otherTrees = await listOtherTrees(worktree)
  if (otherTrees.some(({ branch }) => branch === worktree.branch)) return true
  return (await listUnreachable(worktree, [tip], { includesBranch: false })).length > 0
}

/** Returns the newest commits that no reference would reach after the removal. */
async function findLooseCommits(
  worktree: Worktree,
  adminFolder: string,
  keepsBranch: boolean,
): Promise<readonly string[]> {
  const { repository, branch } = worktree
  const ownRefs = await runAdminGit(worktree, adminFolder, [
    ...['for-each-ref', '--format=%(objectname)', 'refs/worktree', 'refs/bisect', 'refs/rewritten'],
  ])
  const tips = [
    ...['HEAD', 'ORIG_HEAD'].map((name) => readObjectId(join(adminFolder, name))),
    ...readReflog(join(adminFolder, 'logs', 'HEAD')),
    ...(keepsBranch ? [] : readReflog(join(repository.sharedGitFolder, 'logs', 'refs', 'heads', branch))),
    ...requireOutput(ownRefs, 'list the references of the worktree').split('\n'),
  ].filter((id) => id !== undefined && OBJECT_ID.test(id) && !/^0+$/.test(id))
  const commits = await listExistingCommits(worktree, [...new Set(tips as string[])])
  return listUnreachable(worktree, commits, { includesBranch: keepsBranch })
}

/** Returns the commits that still exist. Objects that were already deleted by git are skipped. */
async function listExistingCommits(worktree: Worktree, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return []
  const input = ids.map((id) => `${id}^{commit}\n`).join('')
  const check = await runGit(worktree.repository.root, ['cat-file', '--batch-check'], { input })
  const lines = requireOutput(check, 'look up commits').split('\n')
  return lines.flatMap((line) => {
    const [id = '', type] = line.split(' ')
    return type === 'commit' ? [id] : []
  })
}

/** Returns the newest of the commits, and of those before them, that no reference and no other working tree reaches. */
async function listUnreachable(
  worktree: Worktree,
  commits: readonly string[],
  { includesBranch }: { readonly includesBranch: boolean },
): Promise<readonly string[]> {
  if (commits.length === 0) return []
  const { root } = worktree.repository
  const refs = await runGit(root, ['for-each-ref', '--format=%(refname) %(objectname)'])
  const refLines = requireOutput(refs, 'list the references').split('\n').filter(Boolean)
  const otherRefs = refLines.filter((line) => includesBranch || !line.startsWith(`refs/heads/${worktree.branch} `))
  const otherHeads = (await listOtherTrees(worktree)).map(({ head }) => head)
  const reachable = [...otherRefs.map((line) => line.split(' ')[1] ?? ''), ...otherHeads]
  const input = [...commits, ...reachable.map((id) => `^${id}`)].map((line) => `${line}\n`).join('')
  const list = await runGit(root, ['rev-list', '--parents', '--ignore-missing', '--stdin'], { input })
  const rows = requireOutput(list, 'compare commits')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' '))
  const parents = new Set(rows.flatMap(([, ...ids]) => ids))
  return rows.flatMap(([id = '']) => (parents.has(id) ? [] : [id]))
}

interface OtherTree {
  readonly head: string
  readonly branch: string | undefined
}

/** Returns the other working trees of the repository, with their commits. */
async function listOtherTrees({ path, repository }: Worktree): Promise<readonly OtherTree[]> {
  const list = await runGit(repository.root, ['worktree', 'list', '--porcelain'])
  const blocks = requireOutput(list, 'list the worktrees').split('\n\n')
  return blocks.flatMap((block) => {
    const [, head] = /^HEAD ([0-9a-f]+)$/m.exec(block) ?? []
    const isOwn = block.startsWith(`worktree ${path}\n`)
    if (isOwn || head === undefined || /^0+$/.test(head)) return []
    return [{ head, branch: /^branch refs\/heads\/(.*)$/m.exec(block)?.[1] }]
  })
}

/** Saves staged files that are not in the last commit, as a commit. Returns its reference. */
async function saveIndex(worktree: Worktree, adminFolder: string): Promise<readonly string[]> {
  const tree = await runAdminGit(worktree, adminFolder, ['write-tree'])
  const treeId = requireOutput(tree, 'save the staged files').trim()
  const headTree = await runAdminGit(worktree, adminFolder, ['rev-parse', '--verify', '--quiet', 'HEAD^{tree}'])
  if (headTree.stdout.trim() === treeId) return []
  const parent = headTree.exitCode === 0 ? ['-p', 'HEAD'] : []
  const message = `Files that were staged in the worktree ${worktree.name}`
  const args = ['commit-tree', treeId, ...parent, '-m', message]
  const commit = await runAdminGit(worktree, adminFolder, args, SAVER)
  return [await createRef(worktree, 'staged', requireOutput(commit, 'save the staged files').trim())]
}

async function createRef(worktree: Worktree, label: string, commit: string): Promise<string> {
  const ref = `refs/haft/removed/${worktree.name}/${label}-${Date.now().toString(36)}`
  requireOutput(await runGit(worktree.repository.root, ['update-ref', ref, commit, '']), `create ${ref}`)
  return ref
}

/** Runs git with the index and HEAD of the worktree, whose folder may have been deleted. */
export function runAdminGit(
  { repository }: Worktree,
  adminFolder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<GitResult> {
  return runGit(repository.sharedGitFolder, ['--git-dir', adminFolder, ...args], { environment })
}

function requireOutput({ exitCode, stdout, error }: GitResult, purpose: string): string {
  if (exitCode !== 0) throw new WorktreeError(`git could not ${purpose}: ${error}`)
  return stdout
}

function readObjectId(file: string): string | undefined {
  const readResult = readRegularText(file, { maxBytes: 1024 })
  return readResult.kind === 'found' ? readResult.content.trim() : undefined
}

/** Returns the commits of a reflog. Throws if it is too large to read. */
function readReflog(file: string): readonly string[] {
  const readResult = readRegularText(file, { maxBytes: MAX_REFLOG_BYTES })
  if (readResult.kind === 'absent') return []
  if (readResult.kind !== 'found') throw new WorktreeError(`${file} cannot be read`)
  return readResult.content.split('\n').flatMap((line) => line.split(' ', 2))
}
