import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
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
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { findProgram } from '../../test/terminal/interactive-fixture.mjs'
import { PtyTerminal } from '../../test/terminal/pty-terminal.mjs'
import { readResidentBytes } from './watch-memory.mjs'

export const SIZE = { columns: 120, rows: 40 }
const HAFT_PATH = resolve('bin/haft')
/** Lines that the shell prints before the program starts. */
export const SHELL_LINES = Array.from({ length: 100 }, (_, index) => `shell line ${index}`)
const SHELL_SCRIPT = `seq -f 'shell line %g' 0 ${SHELL_LINES.length - 1}; "$@"; exec cat`
/** A call reads 1 kB, so that 300 calls and a long answer fit into the context window. */
const FILE_LINES = 16
const MAX_REMOVALS = 50

/** Opens a project for the interactive program, with a model server in a process of its own. */
export async function openFixture() {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'haft-bench-terminal-')))
  const [home, project] = [join(folder, 'home'), join(folder, 'project')]
  mkdirSync(join(project, '.git'), { recursive: true })
  mkdirSync(home)
  for (let index = 0; index < 10; index++)
    writeFileSync(
      join(project, `file${index}.txt`),
      `a line of file ${index}, which has lines of this length\n`.repeat(FILE_LINES),
    )
  const server = spawn(process.execPath, ['bench/lib/terminal-model.mjs'], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [url] = await once(createInterface({ input: server.stdout }), 'line')
  const variables = { HOME: home, ANTHROPIC_BASE_URL: String(url), ANTHROPIC_API_KEY: 'a key' }

  /** @type {PtyTerminal[]} */
  const terminals = []
  /** @param {{ file: string, args: string[], variables?: Record<string, string> }} options */
  const open = (options) => {
    const terminal = new PtyTerminal({ cwd: project, ...SIZE, ...options })
    terminals.push(terminal)
    return terminal
  }
  /** @param {readonly string[]} args */
  const createCommand = (args) => [
    process.execPath,
    HAFT_PATH,
    '--trust',
    '--model',
    'anthropic:claude-sonnet-4-5',
    ...args,
  ]

  return {
    url: String(url),
    /** The texts of the prompts in all transcripts. */
    readTranscripts() {
      const names = readdirSync(home, { recursive: true, encoding: 'utf8' })
      return names.filter((name) => name.endsWith('.jsonl')).flatMap((name) => readPrompts(join(home, name)))
    },
    /** Starts a program that only echoes what it reads, as a baseline. */
    startEcho() {
      const script =
        "process.stdin.setRawMode(true); process.stdin.pipe(process.stdout); process.stdout.write('ready\\r\\n')"
      return open({ file: process.execPath, args: ['-e', script] })
    },
    /** Starts the program without a shell. */
    start(args = /** @type {string[]} */ ([])) {
      const [file = '', ...rest] = createCommand(args)
      return open({ file, args: rest, variables })
    },
    /** Starts the program from a shell that has printed lines before. */
    async startInShell(args = /** @type {string[]} */ ([])) {
      const terminal = open({
        file: '/bin/sh',
        args: ['-c', SHELL_SCRIPT, 'sh', ...createCommand(args)],
        variables,
      })
      await waitForPrompt(terminal)
      return { terminal, pid: findProgram(terminal) }
    },
    async close() {
      server.kill()
      for (const terminal of terminals) {
        terminal.close()
        await terminal.waitForExit()
      }
      await removeFolder(folder)
    },
  }
}

/** @typedef {Awaited<ReturnType<typeof openFixture>>} Fixture */

/** Processes of a program that was killed may still write for a moment. @param {string} folder */
async function removeFolder(folder) {
  for (let attempt = 0; existsSync(folder); attempt++) {
    try {
      rmSync(folder, { recursive: true, force: true })
    } catch (error) {
      if (attempt === MAX_REMOVALS) throw error
      await setTimeout(100)
    }
  }
}

/** @param {string} transcript @returns {string[]} */
function readPrompts(transcript) {
  return readFileSync(transcript, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"user"'))
    .flatMap((line) => listTexts(JSON.parse(line)))
}

/** All strings in a value. @param {unknown} value @returns {string[]} */
function listTexts(value) {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listTexts) : []
}

/** @param {PtyTerminal} terminal */
export async function waitForPrompt(terminal) {
  await terminal.waitFor('asks before changes')
}

/**
 * Sends a prompt and waits until the work on it has ended.
 * @param {PtyTerminal} terminal
 * @param {string} prompt
 * @param {string} lastText of the answer
 */
export async function ask(terminal, prompt, lastText) {
  terminal.type(prompt)
  await terminal.waitFor(`> ${prompt}`)
  terminal.type('\r')
  await waitForAnswer(terminal, lastText)
}

/** @param {PtyTerminal} terminal @param {string} lastText */
export async function waitForAnswer(terminal, lastText) {
  await terminal.waitFor(() => {
    const text = terminal.readText()
    return text.includes(lastText) && !text.includes('Esc to interrupt')
  })
}

/** Returns the memory of the program and its processes in megabytes. @param {number} pid */
export function readMemory(pid) {
  return readResidentBytes(pid) / 1e6
}

/** Returns the CPU time of all threads of a process in milliseconds. @param {number} pid */
export function readCpuTime(pid) {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).reduce((sum, task) => {
    const [onCpu = '0'] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')
    return sum + Number(onCpu)
  }, 0)
  return nanoseconds / 1e6
}

/** Returns the CPU time of the main thread of a process in milliseconds. @param {number} pid */
export function readMainCpuTime(pid) {
  const [onCpu = '0'] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
  return Number(onCpu) / 1e6
}

/** Returns the number of bytes that a program has written since an index in the log. @param {PtyTerminal} terminal @param {number} start */
export function countBytes({ log }, start) {
  return log.slice(start).reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
}
