import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PtyTerminal, SHELL_LINES } from './pty-terminal.mjs'

const haft = fileURLToPath(new URL('../../bin/haft', import.meta.url))

/**
 * Creates a project and a home folder for the interactive `haft`, with a scripted model.
 * @param {{
 *   turns?: readonly unknown[], script?: Record<string, unknown>, files?: Record<string, string>,
 *   isTrusted?: boolean, program?: string,
 * }} options `program` is the source of a script whose turns are functions
 */
export async function createInteractive({ turns = [], script = {}, files = {}, isTrusted = true, program }) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-interactive-')))
  const project = join(folder, 'project')
  const home = join(folder, 'home')
  await mkdir(join(project, '.git'), { recursive: true })
  await mkdir(join(home, '.haft'), { recursive: true })
  const scriptFile = join(folder, program === undefined ? 'script.json' : 'script.mjs')
  writeFileSync(scriptFile, program ?? JSON.stringify({ turns, ...script }))
  for (const [path, text] of Object.entries(files)) {
    const file = path.startsWith('~') ? join(home, path.slice(2)) : join(project, path)
    await mkdir(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  /** @param {readonly string[]} args */
  const createCommand = (args, model = `scripted:${scriptFile}`) => [
    ...[process.execPath, haft, ...(model === '' ? [] : ['--model', model])],
    ...[...(isTrusted ? ['--trust'] : []), ...args],
  ]
  /** @type {PtyTerminal[]} */
  const terminals = []
  return {
    project,
    home,
    createCommand,
    /** Starts `haft` with these arguments, below the lines of a shell if `isBelowLines` is set. @param {readonly string[]} args */
    start(
      args = [],
      {
        columns = 100,
        rows = 40,
        variables = {},
        isAmbiguousWide = false,
        model = `scripted:${scriptFile}`,
        isInShell = false,
        isBelowLines = false,
      } = {},
    ) {
      const command = createCommand(args, model)
      const [file = '', ...fileArguments] = isBelowLines
        ? ['/bin/sh', '-c', `${PRINT_LINES}; exec "$@"`, 'sh', ...command]
        : // The shell keeps the terminal open after the end of the program.
          isInShell
          ? ['/bin/sh', '-c', '"$@"; exec cat', 'sh', ...command]
          : command
      const terminal = new PtyTerminal({
        file,
        args: fileArguments,
        cwd: project,
        ...{ columns, rows, isAmbiguousWide },
        variables: { HOME: home, ...variables },
      })
      terminals.push(terminal)
      return terminal
    },
    async close() {
      for (const terminal of terminals) terminal.close()
      // A program that was just killed may still write.
      await rm(folder, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

const PRINT_LINES = `seq -f 'shell line %g' 0 ${SHELL_LINES.length - 1}`

/** The number of lines that contain a text. @param {PtyTerminal} terminal @param {string} text */
export function countLines(terminal, text) {
  return terminal.readLines().filter((line) => line.includes(text)).length
}

/** The process id of the program that a shell runs. @param {PtyTerminal} terminal */
export function findProgram({ pid }) {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return Number(child)
}
