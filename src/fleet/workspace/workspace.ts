import { lstat, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isPathInside } from '../../shared/path-containment.js'
import { runGit } from '../../system/run-git.js'
import type { JournalEntry, LoadBody, StoreBody } from '../engine/run-journal.js'
import { FleetError, type RunSpec } from '../runs/run-spec.js'
import type { RunResults, StoredBody } from '../runs/run-store.js'
import type { RunFolder } from './run-folder.js'
import { requireGit, Snapshots } from './snapshots.js'

const MAX_ARTEFACT_BYTES = 16 * 1024 * 1024
const CALL_ENDED = /^\{"type":"(?:nested-)?call-ended"/
const IDENTITY = {
  GIT_AUTHOR_NAME: 'Haft',
  GIT_AUTHOR_EMAIL: 'haft@localhost',
  GIT_COMMITTER_NAME: 'Haft',
  GIT_COMMITTER_EMAIL: 'haft@localhost',
}

export interface WorkspaceOptions {
  readonly localRepositories: readonly string[]
  readonly signal: AbortSignal
}

/**
 * The working folder of a run: a fresh checkout, or an empty folder. Changes are stored with the calls that made them, so that the run can continue on another
 * machine.
 */
export class Workspace {
  readonly #folder: RunFolder
  readonly #spec: RunSpec
  readonly #options: WorkspaceOptions
  readonly #snapshots: Snapshots
  #base: string | undefined
  #baseTree = ''
  #reflogSize = 0

  constructor(folder: RunFolder, spec: RunSpec, options: WorkspaceOptions) {
    this.#folder = folder
    this.#spec = spec
    this.#options = options
    this.#snapshots = new Snapshots(folder.snapshots, folder.work)
  }

  /** Creates the folder, and repeats the changes of earlier executions. */
  async open(entries: readonly JournalEntry[], loadBody: LoadBody): Promise<void> {
    await this.#folder.remove()
    await this.#folder.create()
    await this.#checkOut()
    if (this.#spec.repository === undefined && !entries.some(({ type }) => type === 'patch')) return
    await this.#openSnapshots()
    for (const entry of entries) if (entry.type === 'patch') await this.#snapshots.apply(await loadBody(entry.hash))
    const refs = entries.findLast((entry) => entry.type === 'refs')
    if (refs?.type === 'refs') await this.#restoreRefs(await loadBody(refs.hash), refs.head)
    await this.#snapshots.takePatch()
    this.#reflogSize = await this.#readReflogSize()
  }

  /** Returns the changes of the calls that ended with these lines. */
  async collectChanges(lines: readonly string[], storeBody: StoreBody): Promise<readonly JournalEntry[]> {
    if (!lines.some((line) => CALL_ENDED.test(line))) return []
    if (!this.#snapshots.isOpen) await this.#openSnapshots()
    const patch = await this.#snapshots.takePatch()
    return [
      ...(patch === undefined ? [] : [{ type: 'patch' as const, hash: await storeBody(patch) }]),
      ...(await this.#collectRefs(storeBody)),
    ]
  }

  /** Stores what the run leaves: its changes as a patch and as a branch, and the files that were asked for. */
  async collectResults(storeBody: StoreBody): Promise<RunResults | undefined> {
    // Without a repository and calls, nothing can have changed.
    if (!this.#snapshots.isOpen) return undefined
    await this.#snapshots.takePatch()
    const keep = async (bytes: Buffer): Promise<StoredBody> => ({ hash: await storeBody(bytes), bytes: bytes.length })
    const hasChanges = this.#snapshots.tree !== this.#baseTree
    const patch = hasChanges ? await this.#snapshots.diff(this.#baseTree, this.#snapshots.tree) : undefined
    const branch = await this.#createBranch()
    const artefacts = await this.#readArtefacts()
    const results = {
      ...(patch !== undefined && { patch: await keep(patch) }),
      ...(branch !== undefined && { branch: branch.name, bundle: await keep(branch.bundle) }),
      artefacts: await Promise.all(artefacts.map(async ({ path, bytes }) => ({ path, ...(await keep(bytes)) }))),
    }
    return hasChanges || branch !== undefined || artefacts.length > 0 ? results : undefined
  }

  /** A run without a repository began with an empty folder. */
  async #openSnapshots(): Promise<void> {
    await this.#snapshots.open(this.#spec.repository === undefined)
    this.#baseTree = this.#snapshots.tree
  }

  async #checkOut(): Promise<void> {
    const { repository } = this.#spec
    if (repository === undefined) return
    const { url, ref } = repository
    await this.#requireAllowed(url)
    const { work } = this.#folder
    const options = { environment: { GIT_ALLOW_PROTOCOL: 'https:ssh:file' }, signal: this.#options.signal }
    await rm(work, { recursive: true, force: true })
    await requireGit(this.#folder.path, ['clone', '-q', '--no-recurse-submodules', '--', url, work], options)
    if (ref !== undefined) await requireGit(work, ['checkout', '-q', ref, '--'])
    const { stdout, exitCode } = await runGit(work, ['rev-parse', 'HEAD'])
    this.#base = exitCode === 0 ? stdout.trim() : undefined
  }

  /** A path may name a repository of this machine only if the operator allows its folder. */
  async #requireAllowed(url: string): Promise<void> {
    if (!url.startsWith('/')) return
    const path = await realpath(url).catch(() => url)
    const folders = await Promise.all(
      this.#options.localRepositories.map((folder) => realpath(folder).catch(() => folder)),
    )
    if (folders.some((folder) => isPathInside(path, folder))) return
    throw new FleetError('forbidden', `This worker may not clone ${url}. Allow its folder with --local-repositories.`)
  }

  async #readReflogSize(): Promise<number> {
    const found = await stat(join(this.#folder.work, '.git', 'logs', 'HEAD')).catch(() => undefined)
    return found?.size ?? 0
  }

  /** Stores branches and commits if HEAD has moved since the last time. */
  async #collectRefs(storeBody: StoreBody): Promise<readonly JournalEntry[]> {
    const size = await this.#readReflogSize()
    if (this.#base === undefined || size === this.#reflogSize) return []
    this.#reflogSize = size
    const { work } = this.#folder
    const bundle = await this.#createBundle(['--branches', '--tags', 'HEAD'])
    if (bundle === undefined) return []
    const symbolic = await runGit(work, ['symbolic-ref', '-q', 'HEAD'])
    const { stdout } = symbolic.exitCode === 0 ? symbolic : await requireGit(work, ['rev-parse', 'HEAD'])
    return [{ type: 'refs', hash: await storeBody(bundle), head: stdout.trim() }]
  }

  async #restoreRefs(bundle: Buffer, head: string): Promise<void> {
    const { work, path } = this.#folder
    const file = join(path, 'restored.bundle')
    await writeFile(file, bundle)
    const { stdout } = await requireGit(work, ['bundle', 'unbundle', file])
    const refs = stdout.split('\n').flatMap((line) => {
      const [commit = '', name = ''] = line.split(' ')
      return name.startsWith('refs/') ? [`update ${name} ${commit}\n`] : []
    })
    await requireGit(work, ['update-ref', '--stdin'], { input: refs.join('') })
    await requireGit(
      work,
      head.startsWith('refs/') ? ['symbolic-ref', 'HEAD', head] : ['update-ref', '--no-deref', 'HEAD', head],
    )
    await requireGit(work, ['reset', '-q'])
    await rm(file)
  }

  /** Creates a bundle with the commits that the repository did not have; undefined if there are none. */
  async #createBundle(refs: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    const { work, path } = this.#folder
    const file = join(path, 'new.bundle')
    const exclusion = this.#base === undefined ? [] : ['--not', this.#base]
    const { exitCode } = await runGit(work, ['bundle', 'create', '-q', file, ...refs, ...exclusion], { environment })
    if (exitCode !== 0) return undefined
    const bundle = await readFile(file)
    await rm(file)
    return bundle
  }

  /** Commits everything on a branch of its own. The commit is made from the snapshot, so that no filter or hook of the repository runs. */
  async #createBranch(): Promise<{ readonly name: string; readonly bundle: Buffer } | undefined> {
    if (this.#base === undefined) return undefined
    const { work, runId } = this.#folder
    const environment = { ...IDENTITY, GIT_ALTERNATE_OBJECT_DIRECTORIES: this.#snapshots.objects }
    const { stdout: headTree } = await requireGit(work, ['rev-parse', 'HEAD^{tree}'])
    const { stdout: head } = await requireGit(work, ['rev-parse', 'HEAD'])
    let commit = head.trim()
    if (headTree.trim() !== this.#snapshots.tree) {
      const args = ['commit-tree', this.#snapshots.tree, '-p', commit, '-m', `Changes of run ${runId}`]
      commit = (await requireGit(work, args, { environment })).stdout.trim()
    }
    if (commit === this.#base) return undefined
    const name = `haft/${runId}`
    await requireGit(work, ['update-ref', `refs/heads/${name}`, commit], { environment })
    const bundle = await this.#createBundle([`refs/heads/${name}`], environment)
    return bundle === undefined ? undefined : { name, bundle }
  }

  async #readArtefacts(): Promise<readonly { readonly path: string; readonly bytes: Buffer }[]> {
    const work = await realpath(this.#folder.work)
    const found: { path: string; bytes: Buffer }[] = []
    for (const path of this.#spec.artefacts ?? []) {
      // A link could lead to any file of this machine.
      const file = await realpath(join(work, path)).catch(() => undefined)
      if (file === undefined || !isPathInside(file, work)) continue
      const facts = await lstat(file)
      if (facts.isFile() && facts.size <= MAX_ARTEFACT_BYTES) found.push({ path, bytes: await readFile(file) })
    }
    return found
  }
}
