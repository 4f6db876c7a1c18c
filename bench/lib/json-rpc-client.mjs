import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'

/**
 * A client without validation, so that a bench measures the server and not its own client.
 * @param {readonly string[]} args the arguments of Node.js
 * @param {{ cwd: string, env: Record<string, string> }} options
 */
export async function openJsonRpcClient(args, { cwd, env }) {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['pipe', 'pipe', 'ignore'] })
  /** @type {Map<number, (message: any) => void>} */
  const pendingRequests = new Map()
  let lastId = 0
  let rest = ''
  child.stdout.setEncoding('utf8')
  child.stdout.on('data', (/** @type {string} */ chunk) => {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      const message = JSON.parse(line)
      pendingRequests.get(message.id)?.(message)
      pendingRequests.delete(message.id)
    }
  })
  /** @param {string} method @param {unknown} params @returns {Promise<any>} */
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++lastId
      pendingRequests.set(id, ({ result, error }) => (error === undefined ? resolve(result) : reject(error)))
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  const clientInfo = { name: 'bench', version: '1' }
  await request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
  const exit = new Promise((resolve) => child.once('exit', resolve))
  const pid = child.pid ?? 0
  return {
    pid,
    request,
    /** @param {string} name @param {unknown} input */
    async call(name, input) {
      const result = await request('tools/call', { name, arguments: input })
      if (result.isError === true) throw new Error(`The call failed: ${JSON.stringify(result)}`)
      return result
    },
    /** Returns the processor time that the server has used so far, in milliseconds; without its child processes. */
    readCpuMs: () => readProcessCpuMs(pid),
    async close() {
      child.stdin.end()
      await exit
    },
  }
}

/** @param {number} pid */
function readProcessCpuMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}
