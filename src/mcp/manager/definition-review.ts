import type { PermissionAsk } from '../../contract/permission/result.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { PinnableTool } from '../config/pinned-tool.js'
import type { Pins } from '../config/pins.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { McpToolDefinition } from '../tools/read-definition.js'

/** The user must confirm a tool before its next call, for example because its definition changed. */
export interface RequiredConfirmation {
  readonly question: PermissionAsk
  /** Stores the current definition as approved. */
  accept(): Promise<void>
}

/** Reviews the tools of a server before they can be called. Returns those that the user must confirm first. */
export type ReviewDefinitions = (
  server: ConfiguredServer,
  definitions: readonly McpToolDefinition[],
) => MaybePromise<ReadonlyMap<McpToolDefinition, RequiredConfirmation>>

/** Approving a server approves its tools as first seen. Later changes of a definition must be confirmed. */
export function reviewByPins(pins: Pins): ReviewDefinitions {
  return async (server, definitions) => {
    const confirmations = new Map<McpToolDefinition, RequiredConfirmation>()
    const newTools: McpToolDefinition[] = []
    const ask = (definition: McpToolDefinition, what: string, details: string): void => {
      const accept = () => pins.accept(server, [pinnable(definition)])
      confirmations.set(definition, { question: question(server, what, details), accept })
    }
    for (const definition of definitions) {
      const tool = pinnable(definition)
      const state = await pins.check(server, tool)
      if (state === 'new') newTools.push(definition)
      else if (state === 'changed')
        ask(definition, 'changed this tool after you approved it', await pins.describe(server, tool))
    }
    if (newTools.length === 0) return confirmations
    try {
      await pins.accept(server, newTools.map(pinnable))
    } catch (error) {
      // Without a stored pin, a later change would go unnoticed.
      for (const definition of newTools)
        ask(definition, 'has a tool whose approval could not be stored', reasonOf(error))
    }
    return confirmations
  }
}

/** The parts of a definition that a model reads or that affect a call. */
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
