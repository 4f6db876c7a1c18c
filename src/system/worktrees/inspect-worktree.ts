import { existsSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'
import { formatCounted } from '../../shared/counted.js'
import { reasonOf } from '../../shared/reason-of.js'
import { readRegularText } from '../read-regular-file.js'
import { findRepositoryFilter, runGit } from '../run-git.js'
import { runAdminGit } from './keep-commits.js'
import { type BytePath, bytesOf, exists, type KnownFile, listTree, showPath, toBytePath } from './worktree-files.js'
import { listNames, type Worktree, WorktreeError } from './worktree-repository.js'

/** What removing a worktree would mean. */
export interface WorktreeContents {
  /** Why it must not be removed at all now: it is locked or in use, or git is in the middle of something. */
  readonly obstacles: readonly string[]
  /** Work that exists only there. Commits of the repository itself are not listed: they are kept by references. */
  readonly unsavedWork: readonly string[]
  /** The files that are the same in the last commit. */
  readonly knownFiles: readonly KnownFile[]
  readonly folders: readonly BytePath[]
  readonly gitLinks: readonly BytePath[]
}

interface InspectOptions {
  /** Whether an interrupted removal has already deleted files. */
  readonly ignoresDeletions: boolean
}

const MAX_NAMES = 10
const MAX_LOCK_REASON = 1024

/** Files and folders in a git folder that exist while an operation is in progress. */
const OPERATIONS: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisect',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase or "git am"',
  sequencer: 'a cherry-pick or revert',
}

/** Finds everything that removing the worktree would lose. Runs no program that the repository configures. */
export async function inspectWorktree(
  worktree: Worktree,
  adminFolder: string,
  options: InspectOptions,
): Promise<WorktreeContents> {
  const moduleFolders = findModuleFolders(join(adminFolder, 'modules'))
  const obstacles = [
    ...findLock(adminFolder),
    ...[adminFolder, ...moduleFolders].flatMap((folder) => [...findLockFiles(folder), ...findOperations(folder)]),
  ]
  const moduleCommits = await Promise.all(moduleFolders.map((folder) => findModuleCommits(worktree, folder)))
  const rootPath = toBytePath(worktree.path)
  const hasTree = await exists(`${rootPath}${sep}.git`)
  const tree = hasTree ? await inspectTree(rootPath, '', options) : await inspectRemains(worktree, adminFolder)
  return { ...tree, obstacles, unsavedWork: [...tree.unsavedWork, ...moduleCommits.flat()] }
}

type TreeContents = Omit<WorktreeContents, 'obstacles'>

/** Inspects a worktree whose folder, or only its link to the repository, was deleted. */
async function inspectRemains(worktree: Worktree, adminFolder: string): Promise<TreeContents> {
  const isFolder = existsSync(worktree.path)
  const remains = isFolder ? await listTree(toBytePath(worktree.path), new Set(), new Set()) : undefined
  const stagedDiff = await runAdminGit(worktree, adminFolder, ['diff-index', '--cached', '--quiet', 'HEAD', '--'])
  return {
    unsavedWork: [
      ...describeNames('files beside a missing .git', remains?.unknownNames ?? []),
      ...(stagedDiff.exitCode === 0 ? [] : ['staged changes']),
    ],
    ...{ knownFiles: [], folders: remains?.folders ?? [], gitLinks: [] },
  }
}

/** Inspects a working tree and its submodules. */
async function inspectTree(root: BytePath, label: string, options: InspectOptions): Promise<TreeContents> {
  const folder = showPath(root)
  const locationNote = label === '' ? '' : ` in the submodule ${label}`
  const filter = await findRepositoryFilter(folder).catch((error: unknown) => {
    throw new WorktreeError(reasonOf(error))
  })
  if (filter !== undefined)
    throw new WorktreeError(`git would run a program that the repository configures${locationNote} (${filter})`)
  const { recordedPaths, links } = await listRecorded(folder)
  // Before git compares the files, so that a change after that is noticed when they are deleted.
  const { knownFiles, folders, unknownNames, submodules } = await listTree(root, recordedPaths, new Set(links.keys()))
  const changedNames = await listChanged(folder, options)
  const submoduleContents = await Promise.all(
    submodules.map((name) =>
      inspectSubmodule(`${root}${sep}${name}`, label === '' ? showPath(name) : `${label}/${showPath(name)}`, {
        ...options,
        recordedCommit: links.get(name) ?? '',
      }),
    ),
  )
  return {
    unsavedWork: [
      ...describeNames(`changed files${locationNote}`, changedNames),
      ...describeNames(`untracked or ignored files${locationNote}`, unknownNames),
      ...submoduleContents.flatMap(({ unsavedWork }) => unsavedWork),
    ],
    knownFiles: [...knownFiles, ...submoduleContents.flatMap((tree) => tree.knownFiles)],
    folders: [...folders, ...submoduleContents.flatMap((tree) => tree.folders)],
    gitLinks: [`${root}${sep}.git`, ...submoduleContents.flatMap((tree) => tree.gitLinks)],
  }
}

async function inspectSubmodule(
  root: BytePath,
  label: string,
  options: InspectOptions & { readonly recordedCommit: string },
): Promise<TreeContents> {
  const link = `${root}${sep}.git`
  // A repository inside the folder would be deleted with it.
  if (!statSync(bytesOf(link)).isFile())
    return { unsavedWork: [`the repository of the submodule ${label}`], knownFiles: [], folders: [], gitLinks: [] }
  const tree = await inspectTree(root, label, options)
  const head = await runGit(showPath(root), ['rev-parse', '--verify', '--quiet', 'HEAD'])
  const isMoved = head.stdout.trim() !== options.recordedCommit
  return isMoved ? { ...tree, unsavedWork: [...tree.unsavedWork, `another commit in the submodule ${label}`] } : tree
}

interface RecordedFiles {
  readonly recordedPaths: ReadonlySet<BytePath>
  /** The submodules, with their recorded commits. */
  readonly links: ReadonlyMap<BytePath, string>
}

async function listRecorded(folder: string): Promise<RecordedFiles> {
  const list = await runGit(folder, ['ls-files', '--stage', '-z'], { encoding: 'latin1' })
  if (list.exitCode !== 0) throw new WorktreeError(`git could not list the files of ${folder}: ${list.error}`)
  const recordedPaths = new Set<BytePath>()
  const links = new Map<BytePath, string>()
  for (const line of list.stdout.split('\0').filter(Boolean)) {
    const [facts = '', name = ''] = line.split('\t', 2)
    const [mode, id = ''] = facts.split(' ')
    if (mode === '160000') links.set(name, id)
    else recordedPaths.add(name)
  }
  return { recordedPaths, links }
}

/**
 * Lists the tracked files whose content is not in the last commit. Git does not report changes to files that are marked as
 * unchanged, or whose size and time are the same, so the content is also compared with an index that has no such information.
 */
export async function listChanged(folder: string, { ignoresDeletions }: InspectOptions): Promise<readonly BytePath[]> {
  const reportedChanges = await listStatus(folder, {})
  const temporaryFolder = await mkdtemp(join(tmpdir(), 'haft-index-'))
  try {
    const environment = { GIT_INDEX_FILE: join(temporaryFolder, 'index') }
    const reading = await runGit(folder, ['read-tree', 'HEAD'], { environment })
    if (reading.exitCode !== 0) throw new WorktreeError(`git could not read the last commit: ${reading.error}`)
    const comparedChanges = await listStatus(folder, environment)
    const changes = [
      ...reportedChanges.filter(({ code }) => !(ignoresDeletions && code === ' D')),
      // A file that is not there, for example because of a sparse checkout, contains nothing to lose.
      ...comparedChanges.filter(({ code }) => code !== ' D'),
    ]
    return [...new Set(changes.map(({ name }) => name))]
  } finally {
    await rm(temporaryFolder, { recursive: true, force: true })
  }
}

interface StatusEntry {
  readonly code: string
  readonly name: BytePath
}

/**
 * Lists the changes that git reports. Submodules are ignored: git would start another git there, without our settings. They are
 * inspected on their own.
 */
async function listStatus(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly StatusEntry[]> {
  const args = ['status', '--porcelain=v1', '-z', '--no-renames', '--untracked-files=no', '--ignore-submodules=all']
  const status = await runGit(folder, args, { environment, encoding: 'latin1' })
  if (status.exitCode !== 0) throw new WorktreeError(`git could not list the changes: ${status.error}`)
  const lines = status.stdout.split('\0').filter(Boolean)
  return lines.map((line) => ({ code: line.slice(0, 2), name: line.slice(3) }))
}

function describeNames(kind: string, names: readonly BytePath[]): readonly string[] {
  if (names.length === 0) return []
  const hiddenCount = names.length - MAX_NAMES
  const moreNote = hiddenCount > 0 ? ` and ${formatCounted(hiddenCount, 'more file')}` : ''
  return [`${kind}: ${names.slice(0, MAX_NAMES).map(showPath).join(', ')}${moreNote}`]
}

function findLock(adminFolder: string): readonly string[] {
  const lock = readRegularText(join(adminFolder, 'locked'), { maxBytes: MAX_LOCK_REASON })
  if (lock.kind === 'absent') return []
  const reason = lock.kind === 'found' ? lock.content.trim() : ''
  return [`it is locked${reason === '' ? '' : ` (${reason})`}; "git worktree unlock" unlocks it`]
}

/** Returns the lock files in a git folder. They belong to a git command that is running, or that was killed. */
function findLockFiles(gitFolder: string): readonly string[] {
  const names = listNames(gitFolder).filter((name) => name.endsWith('.lock'))
  return names.map((name) => `a git command is running there, or was killed: ${join(gitFolder, name)} exists`)
}

function findOperations(gitFolder: string): readonly string[] {
  const operations = new Set(listNames(gitFolder).flatMap((name) => OPERATIONS[name] ?? []))
  return [...operations].map((operation) => `${operation} is in progress there; finish or abort it first`)
}

/**
 * Returns the repositories of submodules, which git keeps in the folder of the worktree, even after a `git submodule deinit`.
 */
export function findModuleFolders(folder: string): readonly string[] {
  const isRepository = existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects'))
  if (isRepository) return [folder, ...findModuleFolders(join(folder, 'modules'))]
  return listFolderNames(folder).flatMap((name) => findModuleFolders(join(folder, name)))
}

function listFolderNames(folder: string): readonly string[] {
  return listNames(folder).filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isDirectory())
}

/** Whether a submodule has commits that were never on a remote, including stashes and those in its reflogs. */
async function findModuleCommits(worktree: Worktree, moduleFolder: string): Promise<readonly string[]> {
  const args = ['rev-list', '--max-count=1', '--all', '--reflog', 'HEAD', '--not', '--remotes', '--']
  // The configured working tree may have been deleted, and git would not start there.
  const commits = await runAdminGit(worktree, moduleFolder, args, { GIT_WORK_TREE: moduleFolder })
  if (commits.exitCode === 0 && commits.stdout.trim() === '') return []
  const name = moduleFolder.split(`${sep}modules${sep}`).slice(1).join('/')
  return [`commits or stashes in the submodule ${name} that are on no remote`]
}
