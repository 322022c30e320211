// openai-node, and the AI SDK: text, a stream, an object by its schema, and tools.
import assert from "node:assert/strict";
import process from "node:process";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateObject, generateText, streamText, tool } from "ai";
import OpenAI from "openai";
import { z } from "zod";

const base = `${process.env.URL}/v1`;
const openai = new OpenAI({ baseURL: base, apiKey: "unused", maxRetries: 0 });
const messages = [{ role: "user", content: "Lily is five." }];
const whole = await openai.chat.completions.create({ model: "tiny", messages, max_tokens: 9, seed: 1 });
let text = "";
for await (const chunk of await openai.chat.completions.create({ model: "tiny", messages, max_tokens: 9, seed: 1, stream: true }))
  text += chunk.choices[0]?.delta?.content ?? "";
assert.equal(text, whole.choices[0].message.content);
const answer = await openai.responses.create({ model: "tiny", input: "Lily is five.", max_output_tokens: 9 });
assert.equal(typeof answer.output_text, "string");

const provider = createOpenAICompatible({ name: "unmask", baseURL: base, apiKey: "unused", supportsStructuredOutputs: true });
const model = provider.chatModel("tiny");
const prompt = "Lily is five.";
assert.equal(typeof (await generateText({ model, prompt, maxOutputTokens: 9 })).text, "string");
let streamed = "";
for await (const part of streamText({ model, prompt, maxOutputTokens: 9 }).textStream) streamed += part;
assert.equal(typeof streamed, "string");
const schema = z.object({ name: z.string().max(8), pets: z.array(z.string().max(4)).max(2) });
const { object } = await generateObject({ model, prompt, schema, maxOutputTokens: 300 });
assert.ok(schema.parse(object));
const weather = tool({ description: "of a city", inputSchema: z.object({ city: z.string().max(8) }) });
const { toolCalls } = await generateText({ model, prompt, tools: { weather }, toolChoice: "required", maxOutputTokens: 300 });
assert.equal(toolCalls[0].toolName, "weather");
assert.equal(typeof toolCalls[0].input.city, "string");
const parts = [];
for await (const part of streamText({ model, prompt, tools: { weather }, toolChoice: "required", maxOutputTokens: 300 }).fullStream)
  parts.push(part.type);
assert.ok(parts.includes("tool-call"), parts.join());
