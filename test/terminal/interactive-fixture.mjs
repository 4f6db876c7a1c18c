import { mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PtyTerminal } from './pty-terminal.mjs'

const haft = fileURLToPath(new URL('../../bin/haft', import.meta.url))

/**
 * A project and a home folder for the interactive `haft`, with a scripted model.
 * @param {{
 *   turns?: readonly unknown[], script?: Record<string, unknown>, files?: Record<string, string>,
 *   isTrusted?: boolean,
 * }} options
 */
export async function createInteractive({ turns = [], script = {}, files = {}, isTrusted = true }) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-interactive-')))
  const project = join(folder, 'project')
  const home = join(folder, 'home')
  await mkdir(join(project, '.git'), { recursive: true })
  await mkdir(join(home, '.haft'), { recursive: true })
  writeFileSync(join(folder, 'script.json'), JSON.stringify({ turns, ...script }))
  for (const [path, text] of Object.entries(files)) {
    const file = path.startsWith('~') ? join(home, path.slice(2)) : join(project, path)
    await mkdir(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  /** @type {PtyTerminal[]} */
  const terminals = []
  return {
    project,
    home,
    /** Starts `haft` with these arguments. @param {readonly string[]} args */
    start(
      args = [],
      {
        columns = 100,
        rows = 40,
        variables = {},
        isAmbiguousWide = false,
        model = `scripted:${join(folder, 'script.json')}`,
        isInShell = false,
      } = {},
    ) {
      const modelArguments = model === '' ? [] : ['--model', model]
      const command = [process.execPath, haft, ...modelArguments, ...(isTrusted ? ['--trust'] : []), ...args]
      // The shell keeps the terminal open after the end of the program.
      const [file = '', ...fileArguments] = isInShell ? ['/bin/sh', '-c', '"$@"; exec cat', 'sh', ...command] : command
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

/** How often a text occurs in all lines. @param {PtyTerminal} terminal @param {string} text */
export function countLines(terminal, text) {
  return terminal.readLines().filter((line) => line.includes(text)).length
}

/** The program that a shell runs. @param {PtyTerminal} terminal */
export function findProgram({ pid }) {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
  return Number(child)
}
