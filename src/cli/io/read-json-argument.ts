import { reasonOf } from '../../shared/reason-of.js'
import type { CommandHost } from './command.js'
import { UsageError } from './exit.js'

/** Parses an argument as JSON; `-` reads it from standard input. */
export async function readJsonArgument(argument: string, host: CommandHost): Promise<unknown> {
  const text = argument === '-' ? await readAll(host.input()) : argument
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = reasonOf(error)
    throw new UsageError(`the input is not valid JSON: ${reason}`, { cause: error })
  }
}

async function readAll(input: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of input) chunks.push(Buffer.from(chunk))
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    // Replacing invalid bytes could change the command that runs.
    throw new UsageError('the input is not valid UTF-8; convert it to UTF-8.', { cause: error })
  }
}
