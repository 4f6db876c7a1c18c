import assert from 'node:assert/strict'
import { buildTool, lazySchema, textResult } from 'haft'
import { callTool, fakeClock } from 'haft/testing'
import * as z from 'zod'

/** A tool uses only the ports it names, so it runs unchanged with a fake, a sandbox or another host. */
const Countdown = buildTool({
  name: 'Countdown',
  description: 'Counts down and returns how long it took',
  needs: ['clock'],
  inputSchema: lazySchema(() => z.strictObject({ seconds: z.number().int().min(1).max(60) })),
  isReadOnly: () => true,
  async call({ seconds }, { clock, signal }, _canUseTool, _parentMessage, onProgress) {
    const start = clock.now()
    for (let secondsLeft = seconds; secondsLeft > 0; secondsLeft--) {
      onProgress?.({ left: secondsLeft })
      await clock.sleep(1000, { signal })
    }
    return { data: { took: clock.now() - start } }
  },
  mapToolResultToToolResultBlockParam: ({ took }, toolUseId) => textResult(toolUseId, `Lift-off after ${took} ms`),
})

const progressReports: unknown[] = []
const text = await callTool(
  Countdown,
  { seconds: 3 },
  { clock: fakeClock(), onProgress: (progress) => progressReports.push(progress) },
)

console.log(text, progressReports)
assert.equal(text, 'Lift-off after 3000 ms')
assert.deepEqual(progressReports, [{ left: 3 }, { left: 2 }, { left: 1 }])
await assert.rejects(callTool(Countdown, { seconds: 1 }), /needs the port clock/)
