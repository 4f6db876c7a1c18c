import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buildProgram } from './build-program.mjs'
import { PtyTerminal, SHELL_LINES } from './pty-terminal.mjs'

/** Builds `screen-program.ts`. Returns its path and a function that removes it. */
export async function buildScreenProgram() {
  const folder = await mkdtemp(join(tmpdir(), 'haft-screen-'))
  const program = join(folder, 'screen-program.mjs')
  await buildProgram('test/terminal/screen-program.ts', program)
  return { program, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** A shell script that prints lines, runs the program and prints its exit code. */
export const SHELL_SCRIPT = `seq -f 'shell line %g' 0 ${SHELL_LINES.length - 1}; "$0" "$1"; echo "exit code $?"; exec cat`

/** Waits for a `screen-program.ts` that is started with the path of the socket in `SCREEN_SOCKET`. */
export async function listenForScreen() {
  const folder = await mkdtemp(join(tmpdir(), 'haft-socket-'))
  const path = join(folder, 'socket')
  const server = createServer()
  server.listen(path)
  await once(server, 'listening')
  /** @type {import('node:net').Socket | undefined} */
  let socket
  /** @type {AsyncIterator<string>} */
  let lines
  return {
    path,
    /** Waits for the program and returns its process id. */
    async connect() {
      ;[socket] = await once(server, 'connection')
      if (socket === undefined) throw new Error('The program did not connect.')
      lines = createInterface(socket)[Symbol.asyncIterator]()
      return Number((await lines.next()).value)
    },
    /**
     * Sends a command to the program and returns its reply.
     * @param {import('./screen-program.js').ScreenCommand} command
     * @returns {Promise<string>}
     */
    async send(command) {
      socket?.write(`${JSON.stringify(command)}\n`)
      return (await lines.next()).value
    },
    /**
     * Sends a command without waiting for its end.
     * @param {import('./screen-program.js').ScreenCommand} command
     */
    post: (command) => void socket?.write(`${JSON.stringify(command)}\n`),
    close() {
      socket?.destroy()
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/**
 * Starts `screen-program.ts` in a pseudo-terminal, with `SHELL_SCRIPT`.
 * @param {{ program: string, columns?: number, rows?: number, variables?: Readonly<Record<string, string>> }} options
 */
export async function startScreen({ program, columns = 80, rows = 24, variables = {} }) {
  const { path, connect, send, post, close } = await listenForScreen()
  const terminal = new PtyTerminal({
    file: '/bin/sh',
    args: ['-c', SHELL_SCRIPT, process.execPath, program],
    columns,
    rows,
    variables: { SCREEN_SOCKET: path, ...variables },
  })
  const pid = await connect()
  await terminal.waitFor('ready')
  return {
    terminal,
    pid,
    send,
    post,
    close() {
      terminal.close()
      close()
    },
  }
}
