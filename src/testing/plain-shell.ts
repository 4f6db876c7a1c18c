import { spawn } from 'node:child_process'
import type { ShellPort } from '../contract/ports/shell.js'

/** Runs commands by the bash of this machine and knows nothing of limits: for tests of what commands do to files. */
export function plainShell(): ShellPort {
  return {
    async run({ command, cwd }, { signal }) {
      const { text, exitCode } = await runBash(command, cwd, signal)
      const size = Buffer.byteLength(text)
      const output = { text, receivedBytes: size, keptBytes: size, isCut: false }
      return { exitCode, signal: null, timedOut: false, cwd, output, confinement: 'none', refusals: [] }
    },
    start: () => Promise.reject(new Error('nothing runs in the background here')),
    confinement: async () => ({ isAvailable: false, reason: 'there is none', byDefault: 'none' }),
  }
}

function runBash(command: string, cwd: string, signal: AbortSignal): Promise<{ text: string; exitCode: number }> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-c', command], { cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] })
    const chunks: Buffer[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (code) => resolve({ text: Buffer.concat(chunks).toString(), exitCode: code ?? 1 }))
  })
}
