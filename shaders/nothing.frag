// Content of semantic buffers where nothing is drawn: glClear cannot write integers.
layout(location = 0) out ivec4 place;
layout(location = 1) out uvec4 shown;

void main() {
    place = ivec4(0);
    shown = uvec4(0u);
}
