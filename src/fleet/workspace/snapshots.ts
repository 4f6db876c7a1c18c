import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder } from '../../system/make-folder.js'
import { type GitOptions, type GitResult, runGit } from '../../system/run-git.js'

/** The id that every repository of git has for a folder without files. */
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/**
 * Records how the working folder of a run changes, as patches. It uses a repository of its own beside the folder, so that neither the run's own repository nor its
 * configuration matters. Ignored files are not recorded.
 */
export class Snapshots {
  readonly #folder: string
  readonly #work: string
  #tree = ''

  constructor(folder: string, work: string) {
    this.#folder = folder
    this.#work = work
  }

  /** Where git finds the objects of the snapshots. */
  get objects(): string {
    return join(this.#folder, 'objects')
  }

  /** The latest recorded state of the folder. */
  get tree(): string {
    return this.#tree
  }

  get isOpen(): boolean {
    return this.#tree !== ''
  }

  /** Starts with the present state of the folder, or with an empty one. */
  async open(isEmpty: boolean): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
    makeFolder(this.#folder)
    await requireGit(this.#work, ['init', '-q', '--bare', this.#folder])
    this.#tree = isEmpty ? EMPTY_TREE : await this.#writeTree()
  }

  /** Returns the changes since the last call; undefined if there are none. */
  async takePatch(): Promise<Buffer | undefined> {
    const before = this.#tree
    this.#tree = await this.#writeTree()
    return before === this.#tree ? undefined : this.diff(before, this.#tree)
  }

  async diff(from: string, to: string): Promise<Buffer> {
    const options = ['--binary', '--full-index', '--no-ext-diff', '--no-textconv', '--no-renames', '--no-color']
    const { stdout } = await this.#git(['diff', ...options, from, to], { encoding: 'latin1' })
    return Buffer.from(stdout, 'latin1')
  }

  /** Changes the folder as a patch says. */
  async apply(patch: Buffer): Promise<void> {
    const file = join(this.#folder, 'restored.patch')
    await writeFile(file, patch)
    await this.#git(['apply', '--whitespace=nowarn', file])
    await rm(file)
  }

  async #writeTree(): Promise<string> {
    await this.#git(['add', '--all', '.'])
    const { stdout } = await this.#git(['write-tree'])
    return stdout.trim()
  }

  #git(args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
    const environment = { GIT_DIR: this.#folder, GIT_WORK_TREE: this.#work }
    return requireGit(this.#work, args, { ...options, environment })
  }
}

/** Runs git, and throws if it fails. */
export async function requireGit(cwd: string, args: readonly string[], options: GitOptions = {}): Promise<GitResult> {
  const result = await runGit(cwd, args, options)
  if (result.exitCode !== 0) throw new Error(`git ${args[0] ?? ''} failed: ${result.error}`)
  return result
}
