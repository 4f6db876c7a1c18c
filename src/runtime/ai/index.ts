export { type AiSchema, type AiTool, toAiTools } from './to-ai-tools.js'
export type { AiModelOutput } from './to-model-output.js'
