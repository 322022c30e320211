# Simon Willison's llm: a prompt, and a schema.
set -eu
export LLM_USER_PATH="$(mktemp -d)"
cat > "$LLM_USER_PATH/extra-openai-models.yaml" <<YAML
- model_id: unmask
  model_name: tiny
  api_base: "$URL/v1"
  supports_schema: true
  supports_tools: true
YAML
"$BIN/llm" keys set openai --value unused
"$BIN/llm" -m unmask --no-stream -o max_tokens 8 "hello" > /dev/null
"$BIN/llm" -m unmask --no-stream --schema "name str, age int" -o max_tokens 300 "Lily is five." |
  "$BIN/python" -c 'import json, sys; row = json.load(sys.stdin); assert set(row) == {"name", "age"}, row'
