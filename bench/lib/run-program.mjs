import { spawn } from 'node:child_process'

/**
 * Runs a program the way the tools do, and returns its output, which is read through a pipe.
 * @param {string} program
 * @param {readonly string[]} args
 * @param {string} cwd
 * @returns {Promise<Buffer>}
 */
export function runProgram(program, args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, stdio: ['ignore', 'pipe', 'inherit'] })
    /** @type {Buffer[]} */
    const chunks = []
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.on('error', reject)
    child.on('close', (status) => {
      if (status === 0) resolve(Buffer.concat(chunks))
      else reject(new Error(`${program} exited with ${status}`))
    })
  })
}
