import type { CommandIo } from '../../../command.js'
import type { CommandHost } from '../../../command-host.js'
import { openAgentSession } from '../open-agent-session.js'
import type { PrintOptions } from '../print-options.js'
import { SessionDriver } from './drive-session.js'
import { DriverQuestions } from './driver-questions.js'
import { StreamOutput } from './stream-output.js'

/** `--input-format stream-json`: another program holds the conversation. */
export async function runDriven(io: CommandIo, host: CommandHost, options: PrintOptions): Promise<number> {
  let driver: SessionDriver | undefined
  const questions =
    options.permissionPromptTool === 'stdio'
      ? new DriverQuestions({
          write: async (body) => output.write(body),
          messageTold: async (agentId) => output.messageTold(agentId),
          interrupt: () => driver?.interrupt(),
        })
      : undefined
  const session = await openAgentSession(io, host, options, questions?.ask)
  const output = new StreamOutput(host, session.id, options).follow(session)
  try {
    await output.begin(session.facts)
    driver = new SessionDriver({ session, host, output, questions })
    return await driver.run()
  } finally {
    await session.dispose()
  }
}
