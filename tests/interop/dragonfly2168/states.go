package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/df-mc/dragonfly/server/world"
)

// value is a property as minecraft-data writes it.
type value struct {
	Type  string `json:"type"`
	Value any    `json:"value"`
}

type state struct {
	Name   string           `json:"name"`
	States map[string]value `json:"states"`
}

// writeStates writes all block states to the standard output.
func writeStates() {
	world.DefaultBlockRegistry.Finalize()
	var states []state
	for id := uint32(0); ; id++ {
		name, properties, found := world.DefaultBlockRegistry.RuntimeIDToState(id)
		if !found {
			break
		}
		values := map[string]value{}
		for key, property := range properties {
			values[key] = typed(property)
		}
		states = append(states, state{strings.TrimPrefix(name, "minecraft:"), values})
	}
	if err := json.NewEncoder(os.Stdout).Encode(states); err != nil {
		log.Fatal(err)
	}
}

func typed(property any) value {
	switch property := property.(type) {
	case bool:
		if property {
			return value{"byte", 1}
		}
		return value{"byte", 0}
	case uint8:
		return value{"byte", property}
	case int32:
		return value{"int", property}
	case string:
		return value{"string", property}
	default:
		panic(fmt.Sprintf("a property of type %T", property))
	}
}
