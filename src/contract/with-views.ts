import type { ObjectSchema } from './schema.js'
import type { Tool } from './tool.js'
import type { ToolViews } from './tool-views.js'

type DrawingMember = Extract<keyof ToolViews<any, any, any, any>, `render${string}`>

/** The members of a tool that draw, for a screen whose nodes are not plain text. */
export type ViewsOf<T, Node> =
  T extends Tool<infer Input extends ObjectSchema, infer Output, infer Progress, any, any>
    ? Pick<Tool<Input, Output, Progress, Node>, DrawingMember>
    : never

/** The tool with a screen's views laid over it. What the views leave out is drawn as text, so `Node` must hold text. */
export function withViews<T extends Tool<any, any, any, string, any>, Node>(
  tool: T,
  views: Partial<ViewsOf<T, Node>>,
): Omit<T, DrawingMember> & ViewsOf<T, Node | string> {
  return Object.freeze({ ...tool, ...views }) as Omit<T, DrawingMember> & ViewsOf<T, Node | string>
}
