feeds_test(wire_test unit/wire feeds_wire)
