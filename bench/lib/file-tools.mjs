import { join } from 'node:path'
import { builtInTools, createToolRuntime } from 'haft'

/**
 * The built-in file tools on this machine's files, each call through the whole pipeline as a model's would go.
 * @param {string} cwd
 * @param {{ home: string, hasCheckpoints: boolean }} options
 */
export function openFileTools(cwd, { home, hasCheckpoints }) {
  const runtime = createToolRuntime({
    tools: builtInTools,
    permissions: { allow: ['Read', 'Grep', 'Glob', 'Edit', 'Write'] },
    cwd,
    homeDir: home,
    ...(hasCheckpoints && { checkpointsDirectory: join(home, 'checkpoints') }),
  })
  let calls = 0
  return {
    /**
     * Gives what the model is answered; a call that fails measures nothing.
     * @param {string} name
     * @param {unknown} input
     */
    async call(name, input) {
      const [result] = await runtime.run([{ type: 'tool_use', id: `toolu_${++calls}`, name, input }]).results
      if (result === undefined || result.is_error === true) throw new Error(JSON.stringify(result?.content))
      return result.content
    },
    dispose: () => runtime.dispose(),
  }
}
