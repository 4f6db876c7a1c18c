import { agents, commands } from './commands.js'
import { EXIT } from './io/exit.js'
import { findHomeFolder } from './io/home-folder.js'
import type { ProcessHost } from './io/process-host.js'
import { StandardOutput, writeError } from './io/standard-output.js'
import { runCli } from './run-cli.js'

let host: ProcessHost | undefined
let isDone = false

const output = new StandardOutput((error) => {
  // A reader that closes the pipe early (`haft tools | head -1`) is not an error.
  if (error.code === 'EPIPE') {
    if (host === undefined) process.exit()
    host.onOutputClosed()
    return
  }
  writeError(`haft: cannot write the output: ${error.message}\n`)
  process.exit(EXIT.failed)
})

// Node would print the message of the error as it is, with all its control characters.
process.on('uncaughtException', (error) => {
  writeError(`haft: internal error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  process.exit(EXIT.failed)
})
// Node would open a debugger port, through which another program could read keys.
process.on('SIGUSR1', () => {})
// The event loop is empty although the command has not returned: it awaits an operation that will never end.
process.once('beforeExit', () => {
  if (isDone) return
  writeError('haft: internal error: exited while an operation was still pending.\n')
  process.exitCode = EXIT.failed
})
void run()

/** Runs the command line. A function, because the CommonJS bundle cannot use top-level await. */
async function run(): Promise<void> {
  const code = await runCli(
    {
      args: process.argv.slice(2),
      variables: process.env,
      platform: process.platform,
      homeDir: findHomeFolder(),
      get isTerminal() {
        // A getter, so that Node's code for terminals is loaded only if it is used.
        const { isatty } = process.getBuiltinModule('node:tty')
        return isatty(0) && isatty(1)
      },
      get columns() {
        return output.columns
      },
      out: (text) => output.write(text),
      err: writeError,
      host: async () => {
        host ??= new (await import('./io/process-host.js')).ProcessHost(output)
        return host
      },
    },
    commands,
    agents,
  )
  isDone = true
  process.exitCode = code
  await host?.exit(code)
}
