import type { PermissionAsk } from '../../contract/permission/result.js'
import type { MaybePromise } from '../../shared/maybe-promise.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { PinnableTool } from '../config/pinned-tool.js'
import type { Pins } from '../config/pins.js'
import type { ConfiguredServer } from '../config/server-config.js'
import type { McpToolDefinition } from '../tools/read-definition.js'

/** A confirmation that the user must give before the next call of a tool, for example because its definition changed. */
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

/**
 * Creates a review of definitions by pins. Approving a server approves its tools as first seen. Later changes of a definition
 * must be confirmed.
 */
export function reviewByPins(pins: Pins): ReviewDefinitions {
  return async (server, definitions) => {
    const confirmations = new Map<McpToolDefinition, RequiredConfirmation>()
    const newTools: McpToolDefinition[] = []
    const requireConfirmation = (definition: McpToolDefinition, problem: string, details: string): void => {
      const accept = () => pins.accept(server, [toPinnableTool(definition)])
      confirmations.set(definition, { question: createQuestion(server, problem, details), accept })
    }
    for (const definition of definitions) {
      const tool = toPinnableTool(definition)
      const state = await pins.check(server, tool)
      if (state === 'new') newTools.push(definition)
      else if (state === 'changed')
        requireConfirmation(definition, 'changed this tool after you approved it', await pins.describe(server, tool))
    }
    if (newTools.length === 0) return confirmations
    try {
      await pins.accept(server, newTools.map(toPinnableTool))
    } catch (error) {
      // Without a stored pin, a later change would go unnoticed.
      for (const definition of newTools)
        requireConfirmation(definition, 'has a tool whose approval could not be stored', reasonOf(error))
    }
    return confirmations
  }
}

/** Returns the parts of a definition that a model reads or that affect a call. */
export function toPinnableTool(definition: McpToolDefinition): PinnableTool {
  const { name, title, description, inputSchema, outputSchema, hints, searchHint, alwaysLoad, isTask } = definition
  return {
    ...{ name, title, description, inputSchema, outputSchema },
    annotations: { ...hints, alwaysLoad, isTask, ...(searchHint !== undefined && { searchHint }) },
  }
}

function createQuestion({ name }: ConfiguredServer, problem: string, details: string): PermissionAsk {
  const text = `the MCP server ${name} ${problem}`
  return { behavior: 'ask', message: `${text}:\n${details}`, reason: { type: 'tool', text } }
}
