package main

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/worldupgrader/blockupgrader"
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
		states = append(states, stateOf(name, properties))
	}
	write(states)
}

// from11810 is the version of blocks saved by 1.18.10: a byte each of 1, 18, 10 and 1.
const from11810 = 1<<24 | 18<<16 | 10<<8 | 1

// upgradeStates reads block states of 1.18.10 from the standard input and writes what they are today.
func upgradeStates() {
	var states []state
	if err := json.NewDecoder(os.Stdin).Decode(&states); err != nil {
		log.Fatal(err)
	}
	for at, old := range states {
		properties := map[string]any{}
		for key, property := range old.States {
			properties[key] = property.plain()
		}
		today := blockupgrader.Upgrade(blockupgrader.BlockState{
			Name: "minecraft:" + old.Name, Properties: properties, Version: from11810,
		})
		states[at] = stateOf(today.Name, today.Properties)
	}
	write(states)
}

func write(states []state) {
	if err := json.NewEncoder(os.Stdout).Encode(states); err != nil {
		log.Fatal(err)
	}
}

func stateOf(name string, properties map[string]any) state {
	values := map[string]value{}
	for key, property := range properties {
		values[key] = typed(property)
	}
	return state{strings.TrimPrefix(name, "minecraft:"), values}
}

func (property value) plain() any {
	switch property.Type {
	case "byte":
		return uint8(property.Value.(float64))
	case "int":
		return int32(property.Value.(float64))
	default:
		return property.Value
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
