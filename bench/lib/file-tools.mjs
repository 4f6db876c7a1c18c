import { join } from 'node:path'
import { builtInTools, createToolRuntime } from 'haft'

/**
 * Opens the built-in file tools; each call runs through the whole pipeline, like the call of a model.
 * @param {string} cwd
 * @param {{ home: string, hasCheckpoints: boolean }} options
 */
export function openFileTools(cwd, { home, hasCheckpoints }) {
  const runtime = createToolRuntime({
    tools: builtInTools,
    permissions: { allow: ['Read', 'Grep', 'Glob', 'Edit', 'Write'] },
    cwd,
    machine: { homeDir: home },
    ...(hasCheckpoints && { storage: { checkpointsDirectory: join(home, 'checkpoints') } }),
  })
  let calls = 0
  return {
    /**
     * Returns the content of the result. Throws if the call failed, because its time would be meaningless.
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
