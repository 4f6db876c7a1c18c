import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createWorktree } from './create-worktree.js'
import type { Worktree } from './worktree-repository.js'

const GIT_ENVIRONMENT = {
  ...{ PATH: process.env.PATH ?? '', HOME: '/nonexistent', LC_ALL: 'C' },
  ...{ GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_ALLOW_PROTOCOL: 'file' },
  ...{ GIT_AUTHOR_NAME: 'A', GIT_AUTHOR_EMAIL: 'a@example.com' },
  ...{ GIT_COMMITTER_NAME: 'C', GIT_COMMITTER_EMAIL: 'c@example.com' },
}

/** Runs git as a user would, and returns its output. */
export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, env: GIT_ENVIRONMENT, encoding: 'utf8', stdio: 'pipe' })
}

/** Like `git`, for commands that fail on purpose, such as a merge with conflicts. */
export function tryGit(cwd: string, ...args: readonly string[]): void {
  try {
    git(cwd, ...args)
  } catch {
    // The failure is the state that the test needs.
  }
}

export function write(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, content)
}

/** Repositories that are made once and copied for each test, because git is slow. */
export class WorktreeFixture {
  readonly folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-worktrees-')))
  #count = 0

  constructor() {
    const library = join(this.folder, 'library')
    write(join(library, 'lib.txt'), 'library\n')
    write(join(library, '.gitignore'), '*.ignored\n')
    this.#commitAll(library)
    const template = join(this.folder, 'template')
    write(join(template, 'a.txt'), 'one\n')
    write(join(template, 'src', 'b.txt'), 'two\n')
    write(join(template, 'src', 'deep', 'c.txt'), 'three\n')
    write(join(template, '.gitignore'), 'built/\n*.ignored\n')
    this.#commitAll(template)
    const withModule = join(this.folder, 'with-module')
    cpSync(template, withModule, { recursive: true })
    git(withModule, 'submodule', '--quiet', 'add', library, 'lib')
    git(withModule, 'commit', '-qm', 'submodule')
  }

  #commitAll(folder: string): void {
    git(folder, 'init', '-q', '-b', 'main', '.')
    git(folder, 'add', '-A')
    git(folder, 'commit', '-qm', 'first')
  }

  /** A copy of a repository: `a.txt`, `src/b.txt`, `src/deep/c.txt`, and in `with-module` the submodule `lib`. */
  copy(template: 'template' | 'with-module' = 'template', name = `project-${this.#count++}`): string {
    const project = join(this.folder, name)
    cpSync(join(this.folder, template), project, { recursive: true })
    return project
  }

  /** A project with a worktree. */
  async open(template?: 'template' | 'with-module', name?: string): Promise<{ project: string; worktree: Worktree }> {
    const project = this.copy(template, name)
    return { project, worktree: await this.enter(project) }
  }

  enter(cwd: string, name = 'work'): Promise<Worktree> {
    return createWorktree(cwd, name, { signal: new AbortController().signal })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

/**
 * Hashes everything below a folder that belongs to the user: the content of all files, and of all objects that the
 * references, indexes and working trees of its repositories reach. With `reflogs` also those that only reflogs reach.
 */
export function hashContents(folder: string, { reflogs = false } = {}): ReadonlySet<string> {
  const hashes = new Set<string>()
  const add = (content: Buffer) => hashes.add(createHash('sha256').update(content).digest('hex'))
  const visit = (path: string): void => (isRepository(path) ? visitRepository(path) : visitFolder(path))
  const visitFolder = (path: string): void => {
    for (const entry of readdirSync(path, { withFileTypes: true, encoding: 'latin1' })) {
      const bytes = Buffer.concat([Buffer.from(`${path}/`), Buffer.from(entry.name, 'latin1')])
      if (entry.isFile() && entry.name !== '.git') add(readFileSync(bytes))
      else if (entry.isDirectory()) visit(bytes.toString())
    }
  }
  const visitRepository = (path: string): void => {
    for (const content of readObjects(path, reflogs)) add(content)
    // Submodules have their repositories inside this one.
    const innerFolders = ['modules', 'worktrees', 'haft-worktrees'].map((name) => join(path, name))
    for (const inner of innerFolders.filter((folder) => existsSync(folder))) findRepositories(inner).forEach(visit)
  }
  visit(folder)
  return hashes
}

function isRepository(folder: string): boolean {
  return existsSync(join(folder, 'HEAD')) && existsSync(join(folder, 'objects'))
}

function findRepositories(folder: string): readonly string[] {
  if (isRepository(folder)) return [folder]
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  return folders.flatMap(({ name }) => findRepositories(join(folder, name)))
}

/** The content of the reachable objects that contain the user's work: files and commits. */
function readObjects(gitFolder: string, reflogs: boolean): readonly Buffer[] {
  // The setting of a submodule would lead to a working tree that no longer exists.
  const env = { ...GIT_ENVIRONMENT, GIT_WORK_TREE: gitFolder }
  const run = (args: readonly string[], input = '') =>
    execFileSync('git', ['--git-dir', gitFolder, ...args], {
      ...{ cwd: gitFolder, env, input, stdio: 'pipe' as const, maxBuffer: 1e8 },
    })
  const all = ['rev-list', '--objects', '--all', '--indexed-objects', ...(reflogs ? ['--reflog'] : [])]
  const ids = run(all).toString().split('\n').filter(Boolean)
  const output = run(['cat-file', '--batch'], ids.map((line) => `${line.split(' ')[0]}\n`).join(''))
  const contents: Buffer[] = []
  for (let at = 0; at < output.length; ) {
    const lineEnd = output.indexOf(10, at)
    const [, type, size] = output.toString('utf8', at, lineEnd).split(' ')
    const end = lineEnd + 1 + Number(size)
    if (type === 'blob' || type === 'commit') contents.push(output.subarray(lineEnd + 1, end))
    at = end + 1
  }
  return contents
}

/** Returns how many hashes of `before` are missing in the folder. */
export function countLost(before: ReadonlySet<string>, folder: string, options = { reflogs: false }): number {
  const after = hashContents(folder, options)
  return [...before].filter((hash) => !after.has(hash)).length
}
