import type { ObjectSchema } from '../schema.js'
import type { Tool } from './tool.js'
import type { ToolViews } from './views.js'

type DrawingMember = Extract<keyof ToolViews<any, any, any, any>, `render${string}`>

/** The members of a tool that draw, for a screen whose nodes are of any kind. */
export type ViewsOf<T, Node = unknown> =
  T extends Tool<infer Input extends ObjectSchema, infer Output, infer Progress, any, any>
    ? Partial<Pick<Tool<Input, Output, Progress, Node>, DrawingMember>>
    : never

/** The tool with a screen's views laid over it; what they leave out stays as the tool draws it. */
export function withViews<T extends Tool<any, any, any, any, any>, const V extends ViewsOf<T>>(
  tool: T,
  views: V & { readonly [K in Exclude<keyof V, DrawingMember>]: never },
): Omit<T, keyof V> & V {
  // A screen draws calls and decides nothing about them, whatever its views hold.
  const drawing = Object.entries(views).filter(([name]) => name.startsWith('render'))
  const seen = Object.assign(Object.create(Object.getPrototypeOf(tool)), tool, Object.fromEntries(drawing))
  return Object.freeze(seen)
}
