import type { PermissionAsk } from '../../contract/permission/result.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { PinnableTool } from '../config/pinned-tool.js'
import type { Pins } from '../config/pins.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { McpToolDefinition } from '../tools/read-definition.js'

/** Why a tool is not what was approved: every call of it asks, until one was let through. */
export interface DefinitionDoubt {
  readonly question: PermissionAsk
  /** Remembers that it is approved as it is now. */
  accept(): Promise<void>
}

/** Looks at what a server offers before anybody may call it, and says what is to be asked about first. */
export type ReviewDefinitions = (
  server: ConfiguredServer,
  definitions: readonly McpToolDefinition[],
) => MaybePromise<ReadonlyMap<McpToolDefinition, DefinitionDoubt>>

/** Who approved a server approved its tools as they are first seen; what it says of them otherwise later is asked about. */
export function reviewByPins(pins: Pins): ReviewDefinitions {
  return async (server, definitions) => {
    const doubts = new Map<McpToolDefinition, DefinitionDoubt>()
    const unseen: McpToolDefinition[] = []
    const ask = (definition: McpToolDefinition, what: string, details: string): void => {
      const accept = () => pins.accept(server, [pinnable(definition)])
      doubts.set(definition, { question: question(server, what, details), accept })
    }
    for (const definition of definitions) {
      const tool = pinnable(definition)
      const state = await pins.check(server, tool)
      if (state === 'new') unseen.push(definition)
      else if (state === 'changed')
        ask(definition, 'changed this tool after you approved it', await pins.describe(server, tool))
    }
    if (unseen.length === 0) return doubts
    try {
      await pins.accept(server, unseen.map(pinnable))
    } catch (error) {
      // What is not remembered could change unseen.
      for (const definition of unseen) ask(definition, 'has a tool that could not be remembered', reasonOf(error))
    }
    return doubts
  }
}

/** All of a definition that a model reads or that decides how a call is made. */
export function pinnable(definition: McpToolDefinition): PinnableTool {
  const { name, title, description, inputSchema, outputSchema, hints, searchHint, alwaysLoad, isTask } = definition
  return {
    ...{ name, title, description, inputSchema, outputSchema },
    annotations: { ...hints, alwaysLoad, isTask, ...(searchHint !== undefined && { searchHint }) },
  }
}

function question({ name }: ConfiguredServer, what: string, details: string): PermissionAsk {
  const text = `the MCP server ${name} ${what}`
  return { behavior: 'ask', message: `${text}:\n${details}`, reason: { type: 'tool', text } }
}
