package syntax

// Expr is a node of the tree. At is the byte offset of its most telling character: the operator, the dot, the bracket,
// or its first character.
type Expr interface{ At() int }

// Pos is where a node stands.
type Pos int

// At returns the byte offset.
func (p Pos) At() int { return int(p) }

// Bytes is the value of a bytes literal.
type Bytes string

// Const is a literal: its Value is nil (None), bool, int64, *big.Int, float64, string or Bytes.
type Const struct {
	Pos
	Value any
}

// Name is a name that is read.
type Name struct {
	Pos
	ID string
}

// Named is an assignment expression, `name := value`.
type Named struct {
	Pos
	Target *Name
	Value  Expr
}

// Unary is `+x`, `-x`, `~x` or `not x`.
type Unary struct {
	Pos
	Op string
	X  Expr
}

// Binary is an arithmetic or bitwise operation.
type Binary struct {
	Pos
	Op   string
	L, R Expr
}

// Logic is `a and b and c` or `a or b or c`.
type Logic struct {
	Pos
	And bool
	Xs  []Expr
}

// Compare is a chain of comparisons: First Ops[0] Rest[0] Ops[1] Rest[1] …; an operator may be "not in" or "is not".
type Compare struct {
	Pos
	First Expr
	Ops   []string
	Rest  []Expr
}

// Cond is `Then if Test else Else`.
type Cond struct {
	Pos
	Test, Then, Else Expr
}

// Param is a parameter of a lambda. Star is 1 for *args and 2 for **kwargs.
type Param struct {
	Name    *Name
	Default Expr // nil when there is none
	Star    int
	Only    byte // 'p' positional-only, 'k' keyword-only, 0 either
}

// Lambda is an unnamed function.
type Lambda struct {
	Pos
	Params []Param
	Body   Expr
}

// Keyword is `Name=Value` in a call, or `**Value` with an empty Name.
type Keyword struct {
	Pos
	Name  string
	Value Expr
}

// Call is a call; an argument may be Starred.
type Call struct {
	Pos
	Func     Expr
	Args     []Expr
	Keywords []Keyword
}

// Attribute is `X.Name`.
type Attribute struct {
	Pos
	X    Expr
	Name string
}

// Subscript is `X[Index]`; Index may be a Slice or a Tuple of them.
type Subscript struct {
	Pos
	X, Index Expr
}

// Slice is `Lo:Hi:Step` in a subscript; each may be nil.
type Slice struct {
	Pos
	Lo, Hi, Step Expr
}

// Starred is `*X` in a display or a call.
type Starred struct {
	Pos
	X Expr
}

// Sequence is a display: Kind '(' is a tuple, '[' a list, '{' a set.
type Sequence struct {
	Pos
	Kind  byte
	Items []Expr
}

// Dict is a dict display; a nil key means `**value`.
type Dict struct {
	Pos
	Keys, Values []Expr
}

// Clause is `for Target in Iter if Ifs[0] if Ifs[1]`. Target is a Name or a Sequence of targets, one of which may be
// Starred.
type Clause struct {
	Pos
	Target, Iter Expr
	Ifs          []Expr
}

// Comp is a comprehension: Kind '[' list, '{' set, ':' dict, '(' generator. Value belongs to a dict comprehension
// alone.
type Comp struct {
	Pos
	Kind       byte
	Elt, Value Expr
	Clauses    []Clause
}

// FString is a formatted string: its parts are Const strings and Fields.
type FString struct {
	Pos
	Parts []Expr
}

// Field is a replacement field of a formatted string. Conv is 'r', 's', 'a' or 0; Spec is nil when there is no colon.
type Field struct {
	Pos
	X    Expr
	Conv byte
	Spec *FString
}
