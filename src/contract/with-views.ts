import type { ObjectSchema } from './schema.js'
import type { Tool } from './tool.js'
import type { ToolViews } from './tool-views.js'

type DrawingMember = Extract<keyof ToolViews<any, any, any, any>, `render${string}`>

/** The members of a tool that draw, for a screen whose nodes are of any kind. */
export type ViewsOf<T, Node = unknown> =
  T extends Tool<infer Input extends ObjectSchema, infer Output, infer Progress, any, any>
    ? Partial<Pick<Tool<Input, Output, Progress, Node>, DrawingMember>>
    : never

/** The tool with a screen's views laid over it; what they leave out stays as the tool draws it. */
export function withViews<T extends Tool<any, any, any, any, any>, const V extends ViewsOf<T>>(
  tool: T,
  views: V,
): Omit<T, keyof V> & V {
  return Object.freeze({ ...tool, ...views })
}
