export { type AiSchema, type AiTool, toAiTools } from '../runtime/ai/to-ai-tools.js'
export type { AiModelOutput } from '../runtime/ai/to-model-output.js'
