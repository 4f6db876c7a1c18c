import { buildTool } from '../../src/contract/tool/build-tool.js'
import type { Tools } from '../../src/contract/tool/tool.js'
import { builtInTools as fixtures } from '../../src/testing/fixture-tools.js'

/** Sixty tools: those of the fixture, and others that do nothing. */
export const builtInTools: Tools = [
  ...fixtures,
  ...Array.from({ length: Math.max(0, 60 - fixtures.length) }, (_, index) =>
    buildTool({
      name: `Extra${index}`,
      description: 'Another tool',
      inputJSONSchema: { type: 'object' },
      call: async () => ({ data: null }),
    }),
  ),
]
