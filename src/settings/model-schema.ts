import * as z from 'zod'

/** How a provider is reached. Whatever is left out comes from the usual environment variables of its kind. */
function providerSchema() {
  return z.looseObject({
    type: z.enum(['anthropic', 'openai']).describe('The protocol it speaks; most servers speak openai.'),
    baseUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Where it is, for example http://localhost:11434/v1.'),
    apiKey: z.string().min(1).optional().describe('Better left to apiKeyEnv: files are copied and shared.'),
    apiKeyEnv: z.string().min(1).optional().describe('The environment variable that holds the key.'),
    headers: z.record(z.string(), z.string()).optional().describe('Headers of every request.'),
    api: z
      .enum(['chat', 'responses'])
      .optional()
      .describe('Of openai: which of its two interfaces; responses at OpenAI itself and chat elsewhere unless said.'),
    supportsDeferLoading: z.boolean().optional().describe('It takes defer_loading and tool_reference.'),
  })
}

/** What is known of a model; it beats the built-in table. */
function modelSchema() {
  const tokens = z.int().min(1).optional()
  const price = z.number().min(0)
  return z.looseObject({
    contextWindow: tokens.describe('Tokens that fit into its window.'),
    maxOutputTokens: tokens.describe('Tokens that it can write at once.'),
    prices: z
      .looseObject({ input: price, output: price, cacheRead: price.exactOptional(), cacheWrite: price.exactOptional() })
      .optional()
      .describe('US dollars for a million tokens.'),
    supportsDeferLoading: z.boolean().optional().describe('It takes defer_loading and tool_reference.'),
  })
}

function name(about: string) {
  return z.string().min(1).optional().describe(about)
}

/** The keys of a settings file that are about models. */
export const MODEL_SETTINGS = {
  model: () =>
    name('The model to use unless the command line names one, for example claude-sonnet-4-6 or local/qwen3.'),
  smallModel: () => name('The model for small questions beside the conversation.'),
  fallbackModel: () => name('The model that takes over where the other is overloaded.'),
  providers: () => z.record(z.string(), providerSchema()).optional().describe('Servers of models, by name.'),
  models: () =>
    z.record(z.string(), modelSchema()).optional().describe('What is known of models, by id or by provider/id.'),
  thinking: () =>
    z
      .union([z.enum(['disabled', 'adaptive']), z.int().min(1_024)])
      .optional()
      .describe('How much the model may think before it answers: disabled, adaptive, or a number of tokens.'),
  maxTurns: () => z.int().min(1).optional().describe('The most answers of the model to one prompt.'),
  autoCompact: () =>
    z
      .boolean()
      .optional()
      .describe('Whether a conversation is summed up before the window of the model is full; true unless said.'),
  cleanupPeriodDays: () =>
    z.number().min(0).optional().describe('Days after which sessions are forgotten; 30 unless said.'),
}
