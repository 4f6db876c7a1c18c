import type { SimpleCommand } from '../../contract/command.js'
import { isPathInside } from '../../shared/path-containment.js'
import { joinPath, type Scope } from '../words/scope.js'
import { isKnown, type ShellWord } from '../words/shell-word.js'
import { baseNameOf, runsText } from './possible-programs.js'

const toSet = (names: string): ReadonlySet<string> => new Set(names.split(' '))

/** Programs that never put new content into a file. */
const CONTENT_KEEPING_PROGRAMS = toSet('chmod chown chgrp touch mkdir rm rmdir unlink')
/** Programs that are assumed neither to run files of their folder nor to be configured by them. */
const RUNS_NO_FILES = toSet(
  'git gh curl wget tar zip unzip gzip cp mv ln rm mkdir touch chmod chown kill dd install split',
)

/** The absolute paths of files that commands have written so far, or may have written because no table describes them. */
export class WrittenFiles {
  private readonly certainPaths = new Set<string>()
  /** Files named by commands that no table describes. */
  private readonly possibleFiles = new Set<string>()
  /** Whether a written file is not temporary. */
  private isLasting = false
  /** Whether a written file is a source, which a project may run, but which does not change how its tools run. */
  private hasSource = false
  /** Commands whose files are not in the sets yet. They are added on demand, because most scripts have one command. */
  private newCommands: SimpleCommand[] = []

  constructor(private readonly start: string) {}

  add(command: SimpleCommand): void {
    this.newCommands.push(command)
  }

  /**
   * Whether a command may run a file that the script itself wrote earlier, or is `alias`, which redefines names. What runs
   * then is known only at run time. A program that no table describes may run, or be configured by, any file of its folder.
   */
  mayBeRunBy(
    words: readonly ShellWord[],
    { isReadOnly, possible }: SimpleCommand,
    settings: readonly ShellWord[],
    { folders }: Scope,
  ): boolean {
    const program = words[0]
    if (program === undefined || isReadOnly) return false
    if (program.text === 'alias') return true
    const isPlainFile = program.text.includes('/')
    if (possible === undefined && !isPlainFile) return false
    if (RUNS_NO_FILES.has(baseNameOf(program.text)) && !isPlainFile && settings.length === 0) return false
    if (!this.isLasting) this.collect()
    if (this.isLasting || (this.hasSource && possible?.projectTool === undefined)) return true
    if (this.certainPaths.size + this.possibleFiles.size === 0) return false
    return this.namesWritten(words, possible, isPlainFile, folders ?? [this.start])
  }

  /** Whether a command names a file that was written, or a folder that contains one, or runs in such a folder. */
  private namesWritten(
    words: readonly ShellWord[],
    possibleEffects: SimpleCommand['possible'],
    isPlainFile: boolean,
    folders: readonly string[],
  ): boolean {
    const namedPaths = isPlainFile ? folders.flatMap((folder) => words.map(({ text }) => joinPath(folder, text))) : []
    const paths = [...(possibleEffects?.paths ?? []), ...namedPaths].map((path) => joinPath(this.start, path))
    const isBelow = (path: string, file: string) => isPathInside(path, file, { platform: 'linux' })
    const locations = [...paths, ...folders].filter((path) => path !== '/' && path !== this.start)
    const files = [...this.certainPaths]
    if (paths.some((path) => files.some((file) => isBelow(path, file)))) return true
    if (locations.some((folder) => files.some((file) => isBelow(file, folder)))) return true
    const [program, ...args] = words
    if (program === undefined || !mayRunFile(program, args)) return false
    // A link or a pattern may lead to a written file by another path.
    const writtenNames = new Set(files.map(baseNameOf))
    if (args.some((word) => !isKnown(word)) || paths.some((path) => writtenNames.has(baseNameOf(path)))) return true
    return paths.some((path) => this.possibleFiles.has(path))
  }

  private addWrittenFile(path: string): void {
    this.certainPaths.add(path)
    if (TEMPORARY_PATH.test(path)) return
    if (SOURCE_PATH.test(path)) this.hasSource = true
    else this.isLasting = true
  }

  private collect(): void {
    for (const { words, writes, redirects, possible } of this.newCommands) {
      const changedFiles = CONTENT_KEEPING_PROGRAMS.has(words[0] ?? '') ? redirects : [...writes, ...redirects]
      for (const path of changedFiles) {
        this.addWrittenFile(joinPath(this.start, path))
      }
      if (possible === undefined || possible.onlyReads === true) continue
      this.isLasting ||= possible.preparesFiles === true
      for (const path of possible.paths) this.possibleFiles.add(joinPath(this.start, path))
    }
    this.newCommands = []
  }
}

/** Sources and documents by their names. Names of configurations and of scripts are left out. */
const SOURCE_PATH =
  /\/(?!\.)(?![^/]*(?:conf|setup|rc|file|webpack|rollup|vite|plugin|hook|preset|build|manage|tasks|deploy|release|install))[\w-]+(?:\.(?:test|spec|d|stories|module))?\.(?:[cm]?[jt]sx?|css|scss|less|html|svg|md|txt|rst|vue|svelte|py|go|rs|java|kt|rb|php|c|cc|cpp|h|hpp|cs|swift)$/i

/** Files in these folders matter only to a command that names them. */
const TEMPORARY_PATH = /^\/(?:tmp|var\/tmp|dev)\//

/** Whether a program is given by its path, or is an interpreter with arguments that may name a file to run. */
function mayRunFile(program: ShellWord, args: readonly ShellWord[]): boolean {
  return program.text.includes('/') || (runsText(baseNameOf(program.text)) && args.length > 0)
}
