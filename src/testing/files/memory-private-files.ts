import type { PrivateFiles } from '../../contract/host/private-files.js'

/** Creates private files in memory. Changes run one at a time, as they do under the lock of the real implementation. */
export function createMemoryPrivateFiles(texts = new Map<string, string>()): PrivateFiles {
  let lastChange: Promise<unknown> = Promise.resolve()
  return {
    read: async (name) => texts.get(name),
    change(name, edit) {
      const change = lastChange.then(async () => {
        const textAfter = await edit(texts.get(name))
        if (textAfter === undefined) texts.delete(name)
        else texts.set(name, textAfter)
      })
      lastChange = change.catch(() => {})
      return change
    },
  }
}
