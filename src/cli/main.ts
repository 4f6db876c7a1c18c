import { commands } from './commands.js'
import type { ProcessHost } from './process-host.js'
import { runCli } from './run-cli.js'

// A reader that has seen enough (`haft tools | head -1`) is no failure.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    if (host === undefined) process.exit()
    if (stream === process.stdout) host.onReaderGone()
  })
}

let host: ProcessHost | undefined

const code = await runCli(
  {
    args: process.argv.slice(2),
    variables: process.env,
    platform: process.platform,
    columns: process.stdout.columns,
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    host: async () => {
      host ??= new (await import('./process-host.js')).ProcessHost()
      return host
    },
  },
  commands,
)
process.exitCode = code
await host?.exit(code)
