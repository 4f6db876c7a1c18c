import type { ObjectSchema } from '../schema.js'
import type { Tool } from './tool.js'
import type { ToolViews } from './views.js'

type RenderMember = Extract<keyof ToolViews<any, any, any, any>, `render${string}`>

/** The render members of a tool, for a user interface with any type of node. */
export type ViewsOf<T, Node = unknown> =
  T extends Tool<infer Input extends ObjectSchema, infer Output, infer Progress, any, any>
    ? Partial<Pick<Tool<Input, Output, Progress, Node>, RenderMember>>
    : never

/** Replaces render members of a tool by those of a user interface. Others keep the tool's own view. */
export function withViews<T extends Tool<any, any, any, any, any>, const V extends ViewsOf<T>>(
  tool: T,
  views: V & { readonly [K in Exclude<keyof V, RenderMember>]: never },
): Omit<T, keyof V> & V {
  // Only render members are replaced: a user interface must not change how calls are decided.
  const renderMembers = Object.entries(views).filter(([name]) => name.startsWith('render'))
  const withRenderers = Object.assign(
    Object.create(Object.getPrototypeOf(tool)),
    tool,
    Object.fromEntries(renderMembers),
  )
  return Object.freeze(withRenderers)
}
